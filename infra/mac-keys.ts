import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { type MacKey, type MacKeyName, macKeys } from '../lambdas/api/mac-keys.ts';

export type MacKeys = Readonly<Record<MacKeyName, Key>>;

/**
 * Creates the keys, each directly in the stack: a key that is replaced computes other codes, so that none may move or be
 * renamed. What was derived with a lost key cannot be made again; hence a key stays when its stack goes.
 */
export const createMacKeys = (stack: Stack): MacKeys =>
  Object.fromEntries(
    Object.entries<MacKey>(macKeys).map(([name, { summary }]) => [
      name,
      new Key(stack, logicalName(name), {
        description: summary,
        keySpec: KeySpec.HMAC_256,
        keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
        removalPolicy: RemovalPolicy.RETAIN,
      }),
    ]),
  ) as MacKeys;

/** `webhookSecrets` → `WebhookSecrets`. */
const logicalName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
