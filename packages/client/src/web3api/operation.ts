import type { RequestOptions } from "../transport.ts";

/** An operation of the data API; the parameters are optional if none is required. */
export type Call<Parameters extends object, Result> =
  Record<never, never> extends Parameters
    ? (params?: Parameters, options?: RequestOptions) => Promise<Result>
    : (params: Parameters, options?: RequestOptions) => Promise<Result>;

/** A value under one of several names. */
export type OneOf<Name extends string, Value> = Name extends string ? { [N in Name]: Value } : never;

/** The REST mapping of an operation. */
export interface Operation {
  /** Method and path: "GET /{address}/balance". */
  readonly route: string;
  /** The names of the required parameter that is the whole body. */
  readonly whole?: readonly [string, ...string[]];
  /** The parameters that are properties of the body. */
  readonly body?: Readonly<Record<string, "required" | "optional">>;
}

/**
 * The names of the operations of each group, divided by spaces. A name is followed by `@` if the address is part of the
 * path, and by `!` if there is no chain.
 */
export type OperationNames<Group extends string = string> = Readonly<Record<Group, string>>;
