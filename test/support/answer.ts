/** What was answered to a request, as a test sees it. */
export type Answer = {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of all shapes; their schemas were checked before.
  readonly body: any;
};
