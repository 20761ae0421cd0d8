/** An event as PutEvents takes it. */
export type PutEventsEntry = {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  /** JSON of an object. */
  readonly Detail?: string;
  readonly Resources?: readonly string[];
  /** In seconds. */
  readonly Time?: number;
};

/** Tells what EventBridge finds wrong with an event that it may take; the others of its request are put all the same. */
export const errorOfEntry = ({ Source, DetailType, Detail }: PutEventsEntry) => {
  for (const [name, value] of Object.entries({ Source, DetailType, Detail }))
    if (!value)
      return error('InvalidArgument', `Parameter ${name} is not valid. Reason: ${name} is a required argument.`);
  if (Source?.startsWith('aws.')) return error('NotAuthorizedForSourceException', 'Not authorized for the source.');
  return isObject(Detail) ? undefined : error('MalformedDetail', 'Detail is malformed.');
};

const error = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });

const isObject = (text = ''): boolean => {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};
