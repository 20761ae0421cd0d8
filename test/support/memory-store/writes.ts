import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { checkCondition, isTrue, parseCondition } from './conditions.ts';
import { expressionNames, givenBy, refuseUnknown } from './reads.ts';
import {
  type Definitions,
  definitionOf,
  type Item,
  keyText,
  keyTextOfKey,
  rowsOf,
  type Tables,
  toItem,
  withItems,
} from './tables.ts';
import { applyUpdate, attributesSet, checkUpdate, parseUpdate } from './updates.ts';

/** The tables after a write, and its answer; a failed condition throws as DynamoDB's client does. */
type Written = { readonly tables: Tables; readonly answer: object };

export const write = (definitions: Definitions, tables: Tables, command: { readonly input: unknown }): Written => {
  if (command instanceof PutCommand) return writeOne(tables, put(definitions, command.input), command.input);
  if (command instanceof UpdateCommand) return writeOne(tables, update(definitions, command.input), command.input);
  if (command instanceof TransactWriteCommand) return transact(definitions, tables, command.input);
  throw new Error(`The store in memory does not know ${command.constructor.name}. Teach it in reads.ts or writes.ts.`);
};

/** A write of one item, or a check that writes nothing. */
type ItemWrite = {
  readonly table: string;
  readonly key: string;
  readonly isAllowed: (old: Item | undefined) => boolean;
  readonly make: (old: Item | undefined) => Item | undefined;
  readonly showsOld: boolean;
};

type Conditional = Pick<PutCommandInput, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> & {
  readonly ConditionExpression?: string | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
};

const conditional = (input: Conditional) => {
  const { ConditionExpression, ReturnValuesOnConditionCheckFailure: shown = 'NONE' } = input;
  const condition = ConditionExpression === undefined ? undefined : parseCondition(ConditionExpression);
  const given = givenBy(input);
  if (condition) checkCondition(condition, given);
  return {
    isAllowed: (old: Item | undefined) => !condition || isTrue(condition, old ?? {}, given),
    showsOld: shown === 'ALL_OLD',
  };
};

const conditionNames = ['ConditionExpression', 'ReturnValuesOnConditionCheckFailure', ...expressionNames];

type Put = Omit<PutCommandInput, 'ReturnValuesOnConditionCheckFailure'> & Conditional;

const put = (definitions: Definitions, input: Put): ItemWrite => {
  refuseUnknown(input, ['TableName', 'Item', ...conditionNames]);
  const { TableName = '', Item = {} } = input;
  const item = toItem(Item);
  const key = keyText(definitionOf(definitions, TableName), item);
  return { table: TableName, key, ...conditional(input), make: () => item };
};

const update = (definitions: Definitions, input: UpdateCommandInput & Conditional): ItemWrite => {
  refuseUnknown(input, ['TableName', 'Key', 'UpdateExpression', 'ReturnValues', ...conditionNames]);
  const { TableName = '', Key = {}, UpdateExpression = '' } = input;
  const table = definitionOf(definitions, TableName);
  const key = keyTextOfKey(table, Key);
  const parsed = parseUpdate(UpdateExpression);
  const given = givenBy(input);
  checkUpdate(parsed, given);
  const make = (old: Item | undefined) => {
    const item = applyUpdate(parsed, old ?? toItem(Key), given);
    if (keyText(table, item) !== key) throw new Error('An update changes a key.');
    return item;
  };
  return { table: TableName, key, ...conditional(input), make };
};

const deletion = (
  definitions: Definitions,
  input: Conditional & { TableName?: string | undefined; Key?: object | undefined },
): ItemWrite => {
  refuseUnknown(input, ['TableName', 'Key', ...conditionNames]);
  const { TableName = '', Key = {} } = input;
  const key = keyTextOfKey(definitionOf(definitions, TableName), Key as Item);
  return { table: TableName, key, ...conditional(input), make: () => undefined };
};

const writeOne = (tables: Tables, itemWrite: ItemWrite, input: PutCommandInput | UpdateCommandInput): Written => {
  const { table, key, isAllowed, make, showsOld } = itemWrite;
  const old = rowsOf(tables, table).get(key);
  if (!isAllowed(old))
    throw new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      ...(showsOld && old && { Item: marshall(old) }),
    });
  const item = make(old);
  return { tables: withItems(tables, [{ table, key, item }]), answer: answerOf(input, item) };
};

const answerOf = (input: PutCommandInput | UpdateCommandInput, item: Item | undefined): object => {
  if (input.ReturnValues === undefined || input.ReturnValues === 'NONE') return {};
  if (input.ReturnValues === 'ALL_NEW') return { Attributes: item };
  if (input.ReturnValues !== 'UPDATED_NEW' || !('UpdateExpression' in input))
    throw new Error(`The store in memory does not know ReturnValues ${input.ReturnValues}.`);
  return { Attributes: attributesSet(parseUpdate(input.UpdateExpression ?? ''), item ?? {}, givenBy(input)) };
};

const maxTransactionItems = 100;

const transact = (definitions: Definitions, tables: Tables, input: TransactWriteCommandInput): Written => {
  refuseUnknown(input, ['TransactItems', 'ClientRequestToken']);
  const writes = (input.TransactItems ?? []).map((item) => itemWriteOf(definitions, item));
  const keys = new Set(writes.map(({ table, key }) => `${table}\0${key}`));
  if (keys.size < writes.length || keys.size === 0 || keys.size > maxTransactionItems)
    throw new Error(
      `A transaction has ${writes.length} items of ${keys.size} keys; each key is expected once, 1 to 100.`,
    );
  const seen = writes.map(({ table, key }) => rowsOf(tables, table).get(key));
  const failures = writes.map(({ isAllowed }, index) => !isAllowed(seen[index]));
  // Before the conditions are reported: an impossible update rejects the transaction, whichever conditions fail.
  const changes = writes.map(({ table, key, make }, index) => ({
    table,
    key,
    item: failures[index] ? undefined : make(seen[index]),
  }));
  if (failures.includes(true))
    throw new TransactionCanceledException({
      message: 'Transaction cancelled',
      $metadata: {},
      CancellationReasons: writes.map(({ showsOld }, index) => {
        const old = seen[index];
        if (!failures[index]) return { Code: 'None' };
        return { Code: 'ConditionalCheckFailed', ...(showsOld && old && { Item: marshall(old) }) };
      }),
    });
  return { tables: withItems(tables, changes), answer: {} };
};

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const itemWriteOf = (
  definitions: Definitions,
  { Put, Update, Delete, ConditionCheck, ...rest }: TransactItem,
): ItemWrite => {
  refuseUnknown(rest, []);
  if (Put) return put(definitions, Put);
  if (Update) return update(definitions, Update);
  if (Delete) return deletion(definitions, Delete);
  if (!ConditionCheck) throw new Error('An item of a transaction says nothing.');
  return { ...deletion(definitions, ConditionCheck), make: (old) => old };
};
