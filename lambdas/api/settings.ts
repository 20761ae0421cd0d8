/** What a stage decides and a function has to know, each with what reads it from the text of its variable. */
export const settings = {
  requiredConsentVersion: (text: string) => wholeNumber(text),
  newestConsentVersion: (text: string) => wholeNumber(text),
  consentPortalUrl: (text: string) => text,
  metricNamespace: (text: string) => text,
  /** The company that only watches; a text that is no id if there is none. */
  canaryCompanyId: (text: string) => text,
} as const satisfies Record<string, (text: string) => unknown>;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [Name in SettingName]: ReturnType<(typeof settings)[Name]> };

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new Error(`Expected a whole number, got ${JSON.stringify(text)}.`);
  return Number(text);
};
