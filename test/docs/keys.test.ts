import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MacKeyName } from '../../lambdas/api/environment.ts';

/** The pages for a person who finds that a key no longer works. */
const pages: Readonly<Record<MacKeyName, string>> = {
  webhookSecrets: 'docs/runbooks/webhooks.md',
  ownerPseudonyms: 'docs/personal-data.md',
};

describe.each(Object.entries(pages))('the page of the key %s', (key, page) => {
  test('shows its state, how to cancel its deletion and how to enable it', () => {
    const text = readFileSync(page, 'utf8');
    const commands = text
      .slice(text.indexOf(`key=$(resource ${key.charAt(0).toUpperCase()}${key.slice(1)} AWS::KMS::Key)`))
      .split('```')[0];
    expect([...(commands ?? '').matchAll(/aws kms (\S+) --key-id "\$key"/g)].map(([, name]) => name)).toEqual([
      'describe-key',
      'cancel-key-deletion',
      'enable-key',
    ]);
  });
});
