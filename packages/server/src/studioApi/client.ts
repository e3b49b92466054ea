import type { z } from "zod";
import type { Endpoint, Method, PathParams } from "./endpoint.ts";
import type { StudioEndpoint } from "./table.ts";

/*
 * The endpoints by method and path, as types for the studio's client.
 */

type EndpointOf<M extends Method> = Extract<StudioEndpoint, { method: M }>;

type Inputs = { [M in Method]: { [E in EndpointOf<M> as E["path"]]: PathParams<E["path"]> & InputOf<E> } };
type Responses = { [M in Method]: { [E in EndpointOf<M> as E["path"]]: z.output<E["response"]> } };

/** The parameters without those of the path. An empty text in a query string counts as missing. */
type InputOf<E extends Endpoint> = {
  [Name in keyof z.input<E["input"]> as string extends Name ? never : Name]:
    | z.input<E["input"]>[Name]
    | (E["method"] extends "GET" ? "" : never);
};

export type StudioPath<M extends Method> = keyof Inputs[M] & keyof Responses[M] & string;

/** The parameters of an endpoint: of its path, and those of the query string or the body. */
export type StudioInput<M extends Method, Path extends StudioPath<M>> = Inputs[M][Path];
export type StudioResponse<M extends Method, Path extends StudioPath<M>> = Responses[M][Path];

/** Paths that return rows as `{ results }`. */
export type StudioListPath = {
  [Path in StudioPath<"GET">]: StudioResponse<"GET", Path> extends { results: unknown[] } ? Path : never;
}[StudioPath<"GET">];

/** Paths of paginated lists. */
export type StudioPagePath = {
  [Path in StudioListPath]: "next" extends keyof StudioResponse<"GET", Path> ? Path : never;
}[StudioListPath];

export type StudioRow<Path extends StudioListPath> = StudioResponse<"GET", Path>["results"][number];
