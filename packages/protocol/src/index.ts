export * from "./acl.ts";
export * from "./errors.ts";
export * from "./matcher.ts";
export * from "./names.ts";
export * from "./operations.ts";
export * from "./query.ts";
export * from "./values.ts";
export * from "./where.ts";
