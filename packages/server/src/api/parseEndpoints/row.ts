import { z } from "zod";
import type { ParseEndpoint as Endpoint, EndpointSchemas } from "../../core/http/apiRoute.ts";
import { jsonObject as object, jsonValue as value } from "../../core/http/endpoint.ts";

/** A description of a route that does not declare it yet. */
export type ParseEndpoint = Omit<Endpoint, "schemas"> & EndpointSchemas & { isStream?: boolean };

export const nothing = z.object({});
export const jsonValue = value();
export const jsonObject = object();
