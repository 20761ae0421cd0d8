export type Resource = {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
};

/** What the program reads of a synthesized template. */
export type Template = { readonly Resources: Readonly<Record<string, Resource>> };
