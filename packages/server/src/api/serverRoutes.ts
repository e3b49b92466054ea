import type { JsonObject } from "@purse/protocol";
import { z } from "zod";
import type { ApiRoute, Method, ParseEndpoint } from "../core/http/apiRoute.ts";
import { defineEndpoints, jsonObject, routesOf } from "../core/http/endpoint.ts";

// As in Parse Server: the SDK for Swift asks by POST.
const health = <M extends Method>(method: M) =>
  ({
    method,
    path: "/health",
    access: "everyone",
    summary: "Whether the server responds",
    schemas: () => ({ response: z.object({ status: z.literal("ok") }) }),
    isApplicationOptional: true,
    isAlias: method !== "GET",
  }) as const;

/** The server itself. */
const ENDPOINTS = defineEndpoints("Server", {
  health: health("GET"),
  postHealth: health("POST"),
  putHealth: health("PUT"),
  deleteHealth: health("DELETE"),
  serverInfo: {
    method: "GET",
    path: "/serverInfo",
    access: "masterKey",
    summary: "Version and features",
    schemas: () => ({ response: z.object({ features: jsonObject(), parseServerVersion: z.string() }) }),
  },
});

/** The descriptions of the Parse API. */
const DOCUMENTS = defineEndpoints("Server", {
  openApi: {
    method: "GET",
    path: "/openapi.json",
    access: "everyone",
    summary: "This description as an OpenAPI 3.1 document",
    schemas: () => ({ response: jsonObject() }),
    isApplicationOptional: true,
  },
  referencePage: {
    method: "GET",
    path: "/docs",
    access: "everyone",
    summary: "Leads to the documentation of this API",
    schemas: () => ({ response: z.string() }),
    status: 302,
    streams: ["text/html"],
    isApplicationOptional: true,
  },
});

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
  return routesOf(ENDPOINTS, {
    health: isHealthy,
    postHealth: isHealthy,
    putHealth: isHealthy,
    deleteHealth: isHealthy,
    serverInfo: async () => ({ features, parseServerVersion: COMPATIBLE_WITH }),
  });
}

async function isHealthy(): Promise<JsonObject> {
  return { status: "ok" };
}

/** The page of these routes in the documentation. */
const REFERENCE = "/docs/reference/rest-endpoints";

/** Descriptions of the routes of the server, those of modules included. They are made when they are requested first. */
export function documentRoutes(endpoints: () => readonly ParseEndpoint[]): ApiRoute[] {
  let document: Promise<JsonObject> | undefined;
  const openApi = () => {
    document ??= import("./parseOpenApi.ts").then(({ parseOpenApi }) => parseOpenApi(endpoints()));
    return document;
  };
  return routesOf(DOCUMENTS, {
    openApi,
    async referencePage() {
      return { status: 302, body: "", headers: { location: REFERENCE } };
    },
  });
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
