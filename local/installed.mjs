// Runs before the scripts of package.json, on any Node.js: says what to do if npm left out what they need.
import { existsSync } from 'node:fs';

/** These also run in the image, which has no tools. */
const needsTools = !['demo', 'operator'].includes(process.env.npm_lifecycle_event ?? '');
const isNodeMissing = Number(process.versions.node.split('.')[0]) < 24;
const areToolsMissing = needsTools && !existsSync(new URL('../node_modules/aws-cdk/package.json', import.meta.url));

if (isNodeMissing || areToolsMissing) {
  console.error(
    `${isNodeMissing ? 'The Node.js 24 of this project is' : 'Tools of this project are'} not installed, as with NODE_ENV=production, --omit=dev or --ignore-scripts. Run: npm ci --include=dev`,
  );
  process.exit(1);
}
