import * as z from 'zod/mini';
import { hostNamePattern, maxHostNameCharacters } from '../host-name.ts';
import { maxTextCharacters, maxUrlCharacters } from '../limits.ts';
import { companyIdPattern, expectedId, idPattern, maxCompanyIdCharacters, maxIdCharacters } from './common.ts';

/** A text that its pattern bounds already; the document states the bound as a keyword of its own. */
export const matching = (pattern: RegExp, maxLength: number, expected?: string) =>
  z.string().check(z.regex(pattern, expected), z.meta({ maxLength }));

export const id = () => matching(idPattern, maxIdCharacters, expectedId);
export const companyId = () => matching(companyIdPattern, maxCompanyIdCharacters);

/** The id that a request has in headers, problems, logs and the audit. */
export const requestId = () => matching(/^[\w=-]+$/, 64);

/**
 * Any text of one line, without unpaired surrogates and noncharacters, which a queue or a parser may refuse, and without what
 * would steer a screen that shows it.
 */
export const line = (minLength: number, maxLength: number, expected?: string) =>
  matching(new RegExp(`^[^${notInLines}]{${minLength},${maxLength}}$`, 'u'), maxLength, expected);

const notInLines = '\\p{Cc}\\p{Cs}\\p{Bidi_Control}\\p{Noncharacter_Code_Point}';

/** Any text of a bounded length. */
export const text = () => z.string().check(z.maxLength(maxTextCharacters));

export const url = () => z.url().check(z.maxLength(maxUrlCharacters));

export const hostName = () => matching(hostNamePattern, maxHostNameCharacters);

/** A whole number from 0. No count here comes near its end. */
export const count = (maximum: number = maxInt32) => z.int().check(z.minimum(0), z.maximum(maximum));

export const maxInt32 = 2 ** 31 - 1;
