import type { RequestOptions } from "../transport.ts";

/** An operation of the data service; parameters may be left out where none is required. */
export type Call<Parameters extends object, Result> =
  Record<never, never> extends Parameters
    ? (params?: Parameters, options?: RequestOptions) => Promise<Result>
    : (params: Parameters, options?: RequestOptions) => Promise<Result>;

/** A value under one of several names. */
export type OneOf<Name extends string, Value> = Name extends string ? { [N in Name]: Value } : never;

/** What the REST service needs to know of an operation. */
export interface Operation {
  /** Its place: "GET /{address}/balance". */
  readonly route: string;
  /** It takes no chain. */
  readonly chainless?: true;
  /** The names under which a parameter may come that is the body as a whole; it is required. */
  readonly whole?: readonly [string, ...string[]];
  /** The parameters that are the body's properties. */
  readonly body?: Readonly<Record<string, "required" | "optional">>;
}

export type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
