import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

type Item = Readonly<Record<string, unknown>>;
type Image = Readonly<Record<string, unknown>>;

/** A record of a table's stream, as Lambda passes it. */
export type StreamRecord = {
  readonly eventID?: string | undefined;
  readonly dynamodb?:
    | {
        readonly Keys?: Image | undefined;
        readonly OldImage?: Image | undefined;
        readonly NewImage?: Image | undefined;
        /** Epoch seconds. */
        readonly ApproximateCreationDateTime?: number | undefined;
        readonly SequenceNumber?: string | undefined;
      }
    | undefined;
};

/** A change of an item. */
export type ItemChange = {
  /** The same for every delivery of the record. */
  readonly recordId: string;
  /** When the change was made, to the second. */
  readonly atMs: number;
  readonly keys: Item;
  readonly before: Item | undefined;
  /** Undefined if the item was deleted. */
  readonly after: Item | undefined;
};

/** Returns the change in a record. Throws if an image is not in DynamoDB's format. */
export const itemChangeOf = ({ eventID = '', dynamodb = {} }: StreamRecord): ItemChange => ({
  recordId: eventID,
  atMs: (dynamodb.ApproximateCreationDateTime ?? 0) * 1000,
  keys: itemOf(dynamodb.Keys ?? {}),
  before: dynamodb.OldImage && itemOf(dynamodb.OldImage),
  after: dynamodb.NewImage && itemOf(dynamodb.NewImage),
});

const itemOf = (image: Image): Item => unmarshall(image as Record<string, AttributeValue>);
