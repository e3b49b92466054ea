/** An operation of the OpenAPI document of the Parse API. */
interface Operation {
  summary: string;
  "x-access": string;
  responses: Record<string, { content: Record<string, { schema?: object }> }>;
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
}

/** The OpenAPI document of the Parse API of a server. */
export async function readOpenApi(url: string): Promise<OpenApi> {
  const reply = await fetch(`${url}/server/openapi.json`);
  return JSON.parse(await reply.text());
}

export interface DescribedRoute {
  method: string;
  /** Segments are named as in `/classes/{className}`. */
  path: string;
  operation: Operation;
}

/** The routes of a document. */
export function describedRoutes({ paths }: OpenApi): DescribedRoute[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}
