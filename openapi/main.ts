import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiText } from './document.ts';

writeFileSync(join(import.meta.dirname, '../docs/openapi.json'), openApiText());
