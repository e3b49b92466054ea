import type { JsonObject } from "@purse/protocol";
import type { ApiReply, ApiRoute } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";

/** Information about the server; `features` determines which pages Parse Dashboard shows. */
export function serverRoutes({
  canPush,
  checksSecurity,
}: {
  canPush: boolean;
  checksSecurity: boolean;
}): ApiRoute[] {
  const features = {
    ...FEATURES,
    settings: { securityCheck: checksSecurity },
    push: {
      immediatePush: canPush,
      scheduledPush: canPush,
      storedPushData: canPush,
      pushAudiences: true,
      localization: true,
    },
  };
  return [
    // As in Parse Server: the SDK for Swift asks by POST.
    ...(["GET", "POST", "PUT", "DELETE"] as const).map((method) => ({
      method,
      path: "/health",
      isApplicationOptional: true,
      handle: async () => ({ status: "ok" }),
    })),
    { method: "GET", path: "/openapi.json", isApplicationOptional: true, handle: openApiReply },
    { method: "GET", path: "/docs", isApplicationOptional: true, handle: referencePageReply },
    {
      method: "GET",
      path: "/serverInfo",
      async handle(request) {
        assertMaster(request);
        return { features, parseServerVersion: COMPATIBLE_WITH };
      },
    },
  ];
}

/** The OpenAPI document of the Parse API. Its module is loaded when it is requested first. */
async function openApiReply(): Promise<JsonObject> {
  const { parseOpenApi } = await import("./parseEndpoints/openApi.ts");
  return parseOpenApi();
}

let referencePage: Promise<ApiReply> | undefined;

/** The reference page of the Parse API, created when it is requested first. */
function referencePageReply(): Promise<ApiReply> {
  referencePage ??= Promise.all([openApiReply(), import("../core/http/referencePage.ts")]).then(
    ([document, page]) => page.referencePageReply(document, { names: "paths" }),
  );
  return referencePage;
}

/** The version of Parse Server whose behavior clients may expect. */
const COMPATIBLE_WITH = "9.0.0";

const FEATURES = {
  globalConfig: { create: true, read: true, update: true, delete: true },
  hooks: { create: true, read: true, update: true, delete: true },
  cloudCode: { jobs: true },
  logs: { level: true, size: true, order: true, until: true, from: true },
  schemas: {
    addField: true,
    removeField: true,
    addClass: true,
    removeClass: true,
    clearAllDataFromClass: true,
    exportClass: false,
    editClassLevelPermissions: true,
    editPointerPermissions: true,
  },
};
