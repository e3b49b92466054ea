/*
 * What modules may import of the server: `@purse/server/module`. Everything else of it may change with any version.
 */
export { defineModule, type Logger, optional, setting, type Token, token } from "@purse/kernel";
export { ErrorCode, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
export { z } from "zod";
export { flag, integer, list, oneOf, text, webUrl } from "./config/settingTypes.ts";
export { type RequestContext, serverRequest } from "./core/authContext.ts";
export type { Objects } from "./data/objects/objects.ts";
export { moduleClass } from "./module/moduleClass.ts";
export type { ModuleSchedule } from "./module/moduleContributions.ts";
export { route } from "./module/route.ts";
export { CLOCK, CLOUD, LOG, OBJECTS, SCHEMAS, STORE } from "./module/tokens.ts";
export { PUSH, type Push } from "./modules/push/token.ts";
export { route as adminRoute } from "./studio/route.ts";
export { endpoint as adminEndpoint } from "./studioApi/endpoint.ts";
