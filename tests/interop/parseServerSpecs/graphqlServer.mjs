// Part of the process that runs the specs: stands for Parse Server's GraphQL server, whose requests Purse answers.
import http from "node:http";
import { InternalAccess } from "./serverInternals.mjs";

/** Passes a request of an Express app on to the server of the specs, at another path. */
function forward(port, path, request, response) {
  const onward = http.request(
    { host: "127.0.0.1", port, method: request.method, path, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    },
  );
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}

/** The Express app of Parse Server: requests of the REST API. */
export function restApp(port, mount) {
  return (request, response) => forward(port, `${mount}${request.url}`, request, response);
}

/** What specs call to make a server forget what it knows of the schema; Purse knows when it changes. */
const forgetful = { clear: async () => undefined };

/**
 * Stands for `lib/GraphQL/ParseGraphQLServer`.
 * @param options.port the port of the server of the specs
 * @param options.setConfig sends the GraphQL configuration to the server
 */
export function graphqlServerOf({ port, setConfig }) {
  class ParseGraphQLServer {
    constructor(parseServer, config) {
      if (!parseServer || !config?.graphQLPath) throw new InternalAccess("new ParseGraphQLServer");
      if (config.graphQLCustomTypeDefs !== undefined && typeof config.graphQLCustomTypeDefs !== "string")
        throw new InternalAccess("ParseGraphQLServer.graphQLCustomTypeDefs");
      this.config = config;
      this.parseGraphQLSchema = internal("parseGraphQLSchema", { schemaCache: forgetful });
    }

    applyGraphQL(app) {
      if (!app?.use) throw new InternalAccess("ParseGraphQLServer.applyGraphQL");
      app.use(this.config.graphQLPath, (request, response) =>
        forward(port, `/graphql${request.url.replace(/^\/(?=\?|$)/, "")}`, request, response),
      );
    }

    applyPlayground(app) {
      const { playgroundPath } = this.config;
      if (!app?.get || !playgroundPath) throw new InternalAccess("ParseGraphQLServer.applyPlayground");
      app.get(playgroundPath, (request, response) => forward(port, "/studio", request, response));
    }

    createSubscriptions() {
      if (!this.config.subscriptionsPath) throw new InternalAccess("ParseGraphQLServer.createSubscriptions");
    }

    setGraphQLConfig(config) {
      return setConfig(config);
    }

    get parseGraphQLController() {
      return internal("parseGraphQLController", { cacheController: { graphQL: forgetful } });
    }

    set parseGraphQLController(_) {
      throw new InternalAccess("ParseGraphQLServer.parseGraphQLController");
    }

    get _getGraphQLOptions() {
      throw new InternalAccess("ParseGraphQLServer._getGraphQLOptions");
    }

    _getServer() {
      throw new InternalAccess("ParseGraphQLServer._getServer");
    }

    /** Specs compute sizes with it. */
    _transformMaxUploadSizeToBytes(size) {
      const units = { kb: 1, mb: 2, gb: 3 };
      return Number(size.slice(0, -2)) * 1024 ** units[size.slice(-2).toLowerCase()];
    }
  }
  return { ParseGraphQLServer };
}

function internal(name, members) {
  return new Proxy(members, {
    get(target, key) {
      if (key in target || typeof key === "symbol" || ["then", "toJSON"].includes(key)) return target[key];
      throw new InternalAccess(`${name}.${String(key)}`);
    },
  });
}
