/*
 * The table of the admin API (`/studio/api`): path, role, parameters and response of each endpoint. Times are ISO 8601
 * in UTC unless the name says ms; rows are objects in the format of the Parse protocol.
 */

export type * from "./access.ts";
export type * from "./apiKeys.ts";
export type * from "./backups.ts";
export type * from "./chains.ts";
export type * from "./client.ts";
export type * from "./code.ts";
export type * from "./console.ts";
export type * from "./data.ts";
export type * from "./endpoint.ts";
export type * from "./errors.ts";
export type * from "./files.ts";
export type * from "./globalConfig.ts";
export type * from "./logs.ts";
export type * from "./mails.ts";
export type * from "./operatorRoles.ts";
export type * from "./overview.ts";
export type * from "./permissions.ts";
export type * from "./push.ts";
export type * from "./schema.ts";
export type * from "./security.ts";
export * from "./table.ts";
export type * from "./views.ts";
export type * from "./webhooks.ts";
