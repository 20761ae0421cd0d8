# Receives webhook messages on port PORT, or 9911: python3 receiver.py. The file SECRETS_FILE has the secrets of your webhooks, one a line.
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

def is_signed(headers, body):
    message_id, seconds = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not seconds.isascii() or not seconds.isdigit() or abs(time.time() - int(seconds)) > 300:
        return False
    with open(os.environ.get("SECRETS_FILE", "webhook-secrets")) as file:
        keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in file.read().split()]
    signed = f"{message_id}.{seconds}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in keys]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, right) for one in given for right in expected)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        signed = is_signed(self.headers, body)
        self.send_response(204 if signed else 401)
        self.end_headers()
        message = json.loads(body) if signed else {}
        if message.get("type") == "webhook.verify":
            print("Send this code back:", message["data"]["code"], flush=True)
        if message.get("type") == "events.available":
            print("Read the feed.", flush=True)

ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 9911))), Receiver).serve_forever()
