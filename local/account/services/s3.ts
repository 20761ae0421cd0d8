import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { xml } from '../query-protocol.ts';
import type { Resources } from '../resources.ts';

/** The objects of all buckets, by `bucket/key`. */
export type Objects = Map<string, Buffer>;

const xmlHeader = '<?xml version="1.0" encoding="UTF-8"?>';

/** Keeps objects in the buckets that stacks of the account have made. Paths are `/bucket/key`. */
export const createS3 =
  ({ environment, physicalIdsOf }: Resources, objects: Objects) =>
  async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://s3');
    const [bucket = '', ...rest] = decodeURIComponent(pathname).slice(1).split('/');
    const key = rest.join('/');
    const answer = (status: number, body: string | Buffer = '') => void outgoing.writeHead(status).end(body);
    const refuse = (status: number, code: string) =>
      answer(status, xmlHeader + xml({ Error: { Code: code, Message: `${code}: ${bucket}/${key}` } }));

    if (!physicalIdsOf('AWS::S3::Bucket').includes(bucket)) return refuse(404, 'NoSuchBucket');
    if (incoming.method === 'PUT') {
      objects.set(`${bucket}/${key}`, withoutChunks(incoming, await buffer(incoming)));
      return answer(200);
    }
    if (searchParams.has('location')) return answer(200, xml({ LocationConstraint: environment.region }));
    if (searchParams.has('encryption')) return answer(200, xmlHeader + xml(encryption));
    if (searchParams.has('list-type')) return answer(200, xmlHeader + listing(objects, bucket, searchParams));
    const found = objects.get(`${bucket}/${key}`);
    return found ? answer(200, incoming.method === 'HEAD' ? '' : found) : refuse(404, 'NoSuchKey');
  };

const encryption = {
  ServerSideEncryptionConfiguration: {
    Rule: { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
  },
};

const listing = (objects: Objects, bucket: string, searchParams: URLSearchParams): string => {
  const prefix = `${bucket}/${searchParams.get('prefix') ?? ''}`;
  const found = [...objects].filter(([name]) => name.startsWith(prefix));
  const contents = found.map(([name, { length }]) =>
    xml({ Contents: { Key: name.slice(bucket.length + 1), Size: length } }),
  );
  return `<ListBucketResult>${xml({ Name: bucket, KeyCount: found.length, IsTruncated: false })}${contents.join('')}</ListBucketResult>`;
};

/** Clients may send a body in chunks, each behind its length in hexadecimal digits, with checksums after the last. */
const withoutChunks = ({ headers }: IncomingMessage, body: Buffer): Buffer => {
  if (!headers['content-encoding']?.includes('aws-chunked')) return body;
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const endOfLine = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, endOfLine), 16);
    if (!length) return Buffer.concat(chunks);
    chunks.push(body.subarray(endOfLine + 2, endOfLine + 2 + length));
    at = endOfLine + 2 + length + 2;
  }
};
