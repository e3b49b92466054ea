// Part of the process that runs the specs: some of them ask modules of Parse Server's process. Here these send requests.

/** What a spec asks of the process of its server. */
export class InternalAccess extends Error {
  constructor(what) {
    super(`InternalAccess: ${what}`);
  }

  /** Specs show errors as JSON. */
  toJSON() {
    return this.message;
  }
}

/** An object of Parse Server's process with the members that requests can stand for; others are internals. */
function fake(name, members) {
  return new Proxy(members, {
    get(target, key) {
      // Promises and jasmine look for these.
      const isProbe =
        typeof key === "symbol" || ["then", "toJSON", "asymmetricMatch", "jasmineToString"].includes(key);
      if (key in target || isProbe) return target[key];
      throw new InternalAccess(`${name}.${key}`);
    },
    set(_, key) {
      throw new InternalAccess(`${name}.${String(key)}`);
    },
  });
}

/** The headers of a request by whom `lib/Auth` describes. */
function headersOf(auth, appId, masterKey) {
  return {
    "Content-Type": "application/json",
    "X-Parse-Application-Id": appId,
    "X-Parse-REST-API-Key": "rest",
    ...(auth.isMaster && { "X-Parse-Master-Key": auth.isReadOnly ? "read-only-test" : masterKey }),
    ...(auth.user?.getSessionToken?.() && { "X-Parse-Session-Token": auth.user.getSessionToken() }),
    ...(auth.installationId && { "X-Parse-Installation-Id": auth.installationId }),
  };
}

const SPECIAL_PATHS = {
  _User: "users",
  _Role: "roles",
  _Installation: "installations",
  _Session: "sessions",
  _GlobalConfig: "config",
};

/**
 * Stands for `lib/rest` and `lib/Config` of Parse Server.
 * @param Parse the SDK of the specs
 * @param serverUrl the URL of the API
 * @param masterKey the master key of the server
 */
export function serverInternals(Parse, serverUrl, masterKey) {
  const master = { isMaster: true };

  async function send(auth, method, path, body) {
    const answer = await fetch(`${serverUrl}/${path}`, {
      method,
      headers: headersOf(auth, "test", masterKey),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await answer.json();
    if (!answer.ok) throw new Parse.Error(response.code, response.error);
    return { response, status: answer.status, location: answer.headers.get("location") ?? undefined };
  }

  /** Specs that expect an exception instead of a rejection leave it behind, where the next one would fail by it. */
  const handled = (answer) => {
    answer.catch(() => undefined);
    return answer;
  };

  const pathOf = (className, id) =>
    [SPECIAL_PATHS[className] ?? `classes/${className}`, id].filter(Boolean).join("/");

  async function find(auth, className, where = {}, { pipeline, ...options } = {}) {
    if (pipeline !== undefined) {
      const query = new URLSearchParams({ pipeline: JSON.stringify(pipeline) });
      return (await send(auth, "GET", `aggregate/${className}?${query}`)).response;
    }
    const query = new URLSearchParams({ where: JSON.stringify(where) });
    for (const [key, value] of Object.entries(options))
      query.set(key, typeof value === "object" ? JSON.stringify(value) : String(value));
    const { response } = await send(auth, "GET", `${pathOf(className)}?${query}`);
    return response;
  }

  const rest = {
    create: (_, auth, className, fields = {}) => handled(send(auth, "POST", pathOf(className), fields)),
    update: (_, auth, className, { objectId }, fields) =>
      handled(send(auth, "PUT", pathOf(className, objectId), fields)),
    del: (_, auth, className, id) => handled(send(auth, "DELETE", pathOf(className, id))),
    find: (_, auth, className, where, options) => find(auth, className, where, options),
    get: async (_, auth, className, objectId) => ({
      results: [(await send(auth, "GET", pathOf(className, objectId))).response],
    }),
  };

  const schema = {
    async addClassIfNotExists(className, fields = {}, classLevelPermissions, indexes) {
      const body = { className, fields, classLevelPermissions, indexes };
      // Some system classes exist from the start.
      const isSystem = className.startsWith("_") && (await schema.hasClass(className));
      const method = isSystem ? "PUT" : "POST";
      return (await send(master, method, `schemas/${className}`, body)).response;
    },
    /** Adds the missing fields of an object to its class, by saving it. */
    async validateObject(className, fields) {
      const { response } = await send(master, "POST", pathOf(className), fields);
      await send(master, "DELETE", pathOf(className, response.objectId));
      return schema;
    },
    async updateClass(className, fields = {}, classLevelPermissions, indexes) {
      const body = { className, fields, classLevelPermissions, indexes };
      return (await send(master, "PUT", `schemas/${className}`, body)).response;
    },
    setPermissions: (className, classLevelPermissions) =>
      schema.updateClass(className, {}, classLevelPermissions),
    getOneSchema: async (className) => (await send(master, "GET", `schemas/${className}`)).response,
    hasClass: (className) =>
      send(master, "GET", `schemas/${className}`).then(
        () => true,
        () => false,
      ),
    deleteField: (name, className) => schema.updateClass(className, { [name]: { __op: "Delete" } }),
    reloadData: async () => undefined,
  };
  const database = fake("database", {
    loadSchema: async () => schema,
    schemaCache: { clear: () => undefined },
    collectionExists: (className) => schema.hasClass(className),
    find: async (className, where, options) => (await find(master, className, where, options)).results,
    adapter: fake("database.adapter", {
      // The next spec gets a new server.
      deleteAllClasses: async () => undefined,
      find: async (className, _, where) => (await find(master, className, where)).results,
      upsertOneObject: (className, _, __, { params, masterKeyOnly }) =>
        className === "_GlobalConfig"
          ? send(master, "PUT", "config", { params, masterKeyOnly })
          : Promise.reject(new InternalAccess("database.adapter.upsertOneObject")),
    }),
  });
  const config = fake("config", {
    database,
    databaseController: database,
    schemaCache: { clear: () => undefined },
    // `lib/Auth` reads it, and does without.
    cacheController: undefined,
    applicationId: "test",
    mount: serverUrl,
    publicServerURL: serverUrl,
  });
  /** Stands for `lib/Routers/InstallationsRouter`. */
  class InstallationsRouter {
    async handleFind({ auth, body, query }) {
      const { where, ...options } = { ...query, ...body };
      const condition = typeof where === "string" ? JSON.parse(where) : where;
      return { response: await find(auth, "_Installation", condition, options) };
    }
  }

  return { rest, Config: { get: () => config }, InstallationsRouter };
}

/**
 * Stands for `lib/SchemaMigrations/DefinedSchemas`: the server is started again with these classes.
 * @param restart starts it again with other options
 */
export function definedSchemas(restart) {
  let last = Promise.resolve();
  return class DefinedSchemas {
    constructor(schema) {
      this.schema = schema;
    }

    execute() {
      const executed = last.then(() => restart({ schema: this.schema }));
      last = executed.catch(() => undefined);
      return executed;
    }

    isProtectedIndex() {
      throw new InternalAccess("DefinedSchemas.isProtectedIndex");
    }
  };
}
