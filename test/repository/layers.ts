import { resolve } from 'node:path';
import { findForbiddenImports, type Layers, type Packages } from './imports.ts';

/** Folders that all others import by a name: by what `exports` of their `package.json` lists, and nothing behind it. */
export const packages: Packages = { 'packages/serve-stack': 'serve-stack' };

export const layers: Layers = {
  config: ['lambdas/api', 'ipaddr.js', 'node:fs', 'node:net', 'node:path', 'zod'],
  'lambdas/api': ['zod/mini'],
  'lambdas/domain': ['lambdas/api', 'node:crypto', 'node:net', 'node:util', 'node:zlib'],
  'lambdas/data': ['lambdas/domain', 'lambdas/api', '@aws-sdk/*', 'node:crypto', 'node:timers/promises', 'node:util'],
  'lambdas/answers': ['lambdas/data', 'lambdas/domain', 'lambdas/api'],
  'lambdas/chain': ['lambdas/data', 'lambdas/domain', 'lambdas/api', '@middy/core', 'aws-lambda', 'zod/*'],
  'lambdas/webhooks': [
    'lambdas/data',
    'lambdas/domain',
    'lambdas/api',
    'ipaddr.js',
    'node:crypto',
    'node:dns/promises',
    'node:https',
    'node:net',
    'node:tls',
  ],
  'lambdas/handlers': [
    'lambdas/webhooks',
    'lambdas/chain',
    'lambdas/answers',
    'lambdas/data',
    'lambdas/domain',
    'lambdas/api',
  ],
  'lambdas/inbound': ['lambdas/data', 'lambdas/domain', 'lambdas/api', 'aws-lambda', 'zod/*'],
  'lambdas/feed': ['lambdas/webhooks', 'lambdas/answers', 'lambdas/data', 'lambdas/domain', 'lambdas/api', 'node:util'],
  'lambdas/consumers': [
    'lambdas/feed',
    'lambdas/inbound',
    'lambdas/webhooks',
    'lambdas/data',
    'lambdas/domain',
    'lambdas/api',
    'aws-lambda',
  ],
  'lambdas/jobs': ['lambdas/webhooks', 'lambdas/data', 'lambdas/domain', 'lambdas/api'],
  infra: ['config', 'operator', 'lambdas/api', 'aws-cdk-lib*', 'cdk-nag', 'constructs', 'esbuild', 'node:*'],
  'infra/checks': ['@aws-cdk/aws-service-spec', 'aws-cdk-lib', 'node:fs'],
  'infra/deploy': ['config', 'infra/cdk-cli.ts', 'operator', '@aws-sdk/*', 'commander', 'node:*'],
  operator: [
    'config',
    'partner/client',
    'lambdas/inbound/read-event.ts',
    'lambdas/data',
    'lambdas/domain',
    'lambdas/api',
    '@aws-sdk/*',
    'commander',
    'zod*',
    'node:*',
  ],
  'partner/openapi': ['lambdas/domain', 'lambdas/api', 'package.json', 'zod*', 'node:*'],
  'partner/site': ['partner/openapi', 'lambdas/domain', 'lambdas/api', 'marked', 'node:*'],
  'partner/guide': ['node:fs'],
  'partner/client': [],
  'partner/client/build': ['openapi-typescript', 'node:*'],
  docs: ['config', 'infra', 'operator', 'partner', 'lambdas/data', 'lambdas/api', 'aws-cdk-lib', 'node:*'],
  local: [
    'serve-stack',
    'config',
    'infra/cdk-cli.ts',
    'operator/cli/output.ts',
    'partner/site',
    'lambdas/data',
    'lambdas/domain',
    'lambdas/api',
    'node:*',
  ],
  'local/demo': [
    'serve-stack',
    'config',
    'lambdas/data',
    'lambdas/domain',
    'lambdas/api',
    '@aws-sdk/*',
    'standardwebhooks',
    'zod/mini',
    'node:*',
  ],
  // The gateway backend reaches queues and nothing else: no table.
  'local/demo/appliances': ['config', 'lambdas/domain', 'lambdas/api', '@aws-sdk/client-sqs', 'zod/mini', 'node:*'],
  'local/rehearsal': [
    'serve-stack',
    'local',
    '@aws-sdk/*',
    'lambdas/data',
    'lambdas/domain',
    'lambdas/api',
    'partner/site',
    'echarts/*',
    'marked',
    'playwright-core',
    'node:*',
  ],
  'packages/serve-stack': ['node:*'],
  'packages/serve-stack/src': ['@aws-sdk/*', '@peculiar/x509', 'fauxqs', 'reflect-metadata', 'node:*'],
  'packages/serve-stack/test': [
    'packages/serve-stack',
    '@aws-sdk/*',
    'aws-cdk-lib*',
    'fast-check',
    'vitest',
    'zod',
    'node:*',
  ],
  // Streams and queues will wait for their turns as the store does.
  'test/campaigns/interleavings/engine.ts': ['node:timers/promises'],
  'test/campaigns/interleavings/store': [
    'test/campaigns/interleavings/engine.ts',
    'lambdas/data/store',
    'lambdas/api/tables.ts',
    '@aws-sdk/*',
    'node:*',
  ],
};

/** Part of `npm run lint`: prints each import that the layers do not allow, and ends with 1 if there is one. */
if (import.meta.main) {
  const faults = findForbiddenImports(resolve('.'), layers, packages);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
