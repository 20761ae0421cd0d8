import type { Layers } from './import-check.ts';

export const layers: Layers = {
  config: ['lambdas/api', 'ipaddr.js', 'node:fs', 'node:net', 'node:path', 'zod'],
  'lambdas/api': ['zod/mini'],
  'lambdas/domain': ['lambdas/api', 'node:crypto', 'node:net', 'node:zlib'],
  'lambdas/data': ['lambdas/domain', 'lambdas/api', '@aws-sdk/*', 'node:crypto', 'node:timers/promises'],
  'lambdas/answers': ['lambdas/data', 'lambdas/domain', 'lambdas/api'],
  'lambdas/chain': ['lambdas/data', 'lambdas/domain', 'lambdas/api', '@middy/core', 'aws-lambda', 'zod/*'],
  'lambdas/remote-control': ['lambdas/chain', 'lambdas/answers', 'lambdas/data', 'lambdas/domain', 'lambdas/api'],
  'lambdas/handlers': ['lambdas/remote-control', 'lambdas/chain', 'lambdas/answers', 'lambdas/data', 'lambdas/api'],
  'lambdas/jobs': ['lambdas/data', 'lambdas/domain', 'lambdas/api'],
  infra: ['config', 'lambdas/api', 'aws-cdk-lib*', 'cdk-nag', 'constructs', 'esbuild', 'node:*'],
  operator: ['config', 'lambdas/data', 'lambdas/domain', 'lambdas/api', '@aws-sdk/*', 'commander', 'zod*', 'node:*'],
  'partner/openapi': ['lambdas/api', 'package.json', 'zod*', 'node:*'],
  'partner/site': ['partner/openapi', 'lambdas/api', 'marked', 'node:*'],
  'partner/guide': ['node:fs'],
  'partner/client': [],
  'partner/client/build': ['openapi-typescript', 'node:*'],
  local: ['config', 'partner/site', 'lambdas/data', 'lambdas/domain', 'lambdas/api', 'node:*'],
  'local/aws': ['lambdas/domain', '@aws-sdk/*', '@peculiar/x509', 'reflect-metadata', 'node:*'],
};
