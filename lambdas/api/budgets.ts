/** The DynamoDB capacity that the chain may use before a handler starts. A test measures it for every endpoint. */
export const chainCapacity = { readUnits: 3.5, writeUnits: 1 } as const;
