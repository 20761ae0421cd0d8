/** A description of every property; the compiler asks for each. */
export type Descriptions<Value> = {
  readonly [Name in keyof Value as DeclaredName<Name>]-?: Description<NonNullable<Value[Name]>>;
};

/** The sentences about one property, and for an object, or a list of objects, those about its properties. */
type Description<Value> = Value extends readonly (infer Item)[]
  ? Description<Item>
  : Value extends object
    ? { readonly description: string; readonly properties: Descriptions<Value> }
    : string;

/** A schema that is open to further properties has an index signature beside its own names. */
type DeclaredName<Name> = string extends Name ? never : Name;
