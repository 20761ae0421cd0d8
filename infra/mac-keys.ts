import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { type MacKey, type MacKeyName, macKeys } from '../lambdas/api/environment.ts';

export type MacKeys = Readonly<Record<MacKeyName, IKey>>;

/**
 * Creates the keys, each directly in the stack: a key that is replaced computes other codes, so that none may move or be
 * renamed. What was derived with a lost key cannot be made again; hence a key stays when its stack goes, and can be replicated
 * into another Region, which derives the same there: KMS never changes whether a key can be.
 */
export const createMacKeys = (stack: Stack): MacKeys =>
  Object.fromEntries<IKey>(
    Object.entries<MacKey>(macKeys).map(([name, { summary }]) => [
      name,
      new Key(stack, logicalName(name), {
        description: summary,
        keySpec: KeySpec.HMAC_256,
        keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
        multiRegion: true,
        // Nothing was derived yet with a key whose own creation is put back.
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      }),
    ]),
  ) as MacKeys;

/** `webhookSecrets` → `WebhookSecrets`. */
const logicalName = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
