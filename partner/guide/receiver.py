# Receives webhook messages on port PORT, or 9911: python3 receiver.py. The file SECRETS_FILE has one webhook secret per line.
# Without the file, it refuses every message with 401. HOST=0.0.0.0 lets a container on this machine reach it.
import base64, hashlib, hmac, json, os, re, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

def is_signed(headers, body):
    message_id, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not seconds.isascii() or not seconds.isdigit() or abs(time.time() - int(seconds)) > 300:
        return False
    signed = f"{message_id}.{seconds}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in read_keys()]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, right) for one in given for right in expected)

def read_keys():
    "The keys of the secrets in the file. Leaves out a line that has no secret, and says so once. # begins a comment."
    path, keys = os.environ.get("SECRETS_FILE", "webhook-secrets"), []
    if not os.path.exists(path):
        return keys
    with open(path, "rb") as file:
        text = file.read()
    if b"\0" in text:
        say_once(path + " is saved as UTF-16. Save it as UTF-8.")
        return keys
    for number, line in enumerate(text.decode("utf-8-sig", "replace").splitlines(), 1):
        secret = re.fullmatch(r"whsec_([A-Za-z0-9+/]{43}=)", line.strip(" \t'\","))
        if secret:
            keys.append(base64.b64decode(secret[1]))
        elif line.strip() and not line.startswith("#"):
            say_once(f"Line {number} of {path} has no secret, such as whsec_ and 44 characters.")
    return keys

said = set()

def say_once(sentence):
    if sentence not in said:
        print(sentence, file=sys.stderr, flush=True)
    said.add(sentence)

def read_body(headers, file):
    "The body of a request. Proxies may send it in chunks, without its length; the last chunk is empty."
    if "chunked" not in headers.get("transfer-encoding", "").lower():
        return file.read(int(headers.get("content-length", 0)))
    body = b""
    while size := int(file.readline().split(b";")[0], 16):
        body += file.read(size)
        file.readline()
    while file.readline().strip():
        pass  # Fields that follow the last chunk.
    return body

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = read_body(self.headers, self.rfile)
        signed = is_signed(self.headers, body)
        self.send_response(204 if signed else 401)
        self.end_headers()
        message = json.loads(body) if signed else {}
        if message.get("type") == "webhook.verify":
            print("Send this code back:", message["data"]["code"], flush=True)
        if message.get("type") == "events.available":
            print("Read the feed.", flush=True)

read_keys()
address = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", 9911))
ThreadingHTTPServer(address, Receiver).serve_forever()
