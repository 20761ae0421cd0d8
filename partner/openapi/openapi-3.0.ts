import { Converter } from '@apiture/openapi-down-convert';
import { openApiDocument } from './document.ts';

/**
 * Returns the text of `openapi-3.0.json`, for generators that do not know the lists of types of OpenAPI 3.1. It lacks what 3.0
 * cannot say: the webhooks, and the rule that links the type of a known event to its data.
 */
export const openApi30Text = (): string => {
  const document = JSON.parse(JSON.stringify(openApiDocument()), (_, part) => withoutNewKeywords(part));
  return `${JSON.stringify(new Converter(document, { allOfTransform: true }).convert(), null, 2)}\n`;
};

/** Converts what the library does not: conditions, and a value or null. */
const withoutNewKeywords = (part: unknown): unknown => {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
  const { if: _, then: __, ...schema } = part as { if?: unknown; then?: unknown; anyOf?: { type: string; enum: [] }[] };
  const [value, nothing] = schema.anyOf ?? [];
  if (nothing?.type !== 'null') return schema;
  const { anyOf: ___, ...words } = schema;
  return { ...words, ...value, ...(value?.enum && { enum: [...value.enum, null] }), nullable: true };
};
