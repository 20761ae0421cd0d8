import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';

/** Makes the event in which Lambda hands messages of a queue to a function. */
export const queueEvent = (messages: readonly Message[], queueArn: string) => ({
  Records: messages.map((message) => ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attribute(value)]),
    ),
    md5OfBody: message.MD5OfBody,
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3],
  })),
});

const attribute = ({ StringValue, BinaryValue, DataType }: MessageAttributeValue) => ({
  ...(StringValue !== undefined && { stringValue: StringValue }),
  ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType,
});
