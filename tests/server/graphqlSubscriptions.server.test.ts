import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client/core";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { createClient } from "graphql-ws";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";

interface MemoEvent {
  memoChanged: {
    event: string;
    node: { objectId: string; title: string; author: { username: string } | null };
  };
}

const MEMOS = gql`
  subscription ($title: String) {
    memoChanged(where: { title: { equalTo: $title } }) {
      event
      node {
        objectId
        title
        author {
          username
        }
      }
    }
  }
`;

describe.each(DATABASES)("GraphQL subscriptions on %s", (database) => {
  let purse: Purse;
  const closing: (() => void)[] = [];
  /** The ids of the latest memos that were created to receive a first event, by title. */
  const latest = new Map<string, unknown>();
  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    await rest(
      purse,
      "POST",
      "/schemas/Memo",
      { fields: { title: { type: "String" }, author: { type: "Pointer", targetClass: "_User" } } },
      { useMasterKey: true },
    );
  });
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  afterAll(() => purse.remove());

  /** An unmodified Apollo client that subscribes with graphql-ws. */
  function subscriber(credentials: Record<string, string> = {}) {
    const parameters = { "X-Parse-Application-Id": purse.appId, ...credentials };
    const socket = createClient({
      url: `${purse.url.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: parameters,
      retryAttempts: 0,
    });
    const client = new ApolloClient({ cache: new InMemoryCache(), link: new GraphQLWsLink(socket) });
    closing.push(() => void socket.dispose());
    return client;
  }

  /** Subscribes to memos, and collects events and errors in lists. */
  function subscribe(title: string, credentials?: Record<string, string>) {
    const events: MemoEvent["memoChanged"][] = [];
    const problems: unknown[] = [];
    const subscription = subscriber(credentials)
      .subscribe<MemoEvent>({ query: MEMOS, variables: { title } })
      .subscribe({
        next: ({ data, error }) => {
          if (data) events.push(data.memoChanged);
          if (error) problems.push(error);
        },
        error: (error: unknown) => problems.push(error),
        complete: () => problems.push("complete"),
      });
    closing.push(() => subscription.unsubscribe());
    return { events, problems };
  }

  /** Creates memos until the subscription receives one, and waits for the others. */
  async function untilSubscribed({ events, problems }: ReturnType<typeof subscribe>, title: string) {
    await expect
      .poll(async () => {
        expect(problems).toEqual([]);
        if (events.length === 0) {
          const { body } = await rest(purse, "POST", "/classes/Memo", { title });
          latest.set(title, body.objectId);
        }
        return events.length;
      })
      .toBeGreaterThan(0);
    await expect.poll(() => events.at(-1)?.node.objectId).toBe(latest.get(title));
  }

  async function signUp(username: string) {
    const { body } = await rest(purse, "POST", "/users", { username, password: "a long password" });
    return { id: String(body.objectId), sessionToken: String(body.sessionToken) };
  }

  it("report created, updated and deleted objects with their pointers", async () => {
    const title = `seen ${database}`;
    const user = await signUp(`author ${database}`);
    const subscription = subscribe(title);
    await untilSubscribed(subscription, title);
    subscription.events.length = 0;
    const author = { __type: "Pointer", className: "_User", objectId: user.id };
    const acl = { "*": { read: true }, [user.id]: { read: true, write: true } };
    await rest(purse, "PUT", `/users/${user.id}`, { ACL: acl }, { useMasterKey: true });
    const { body } = await rest(purse, "POST", "/classes/Memo", { title, author });
    await rest(purse, "PUT", `/classes/Memo/${body.objectId}`, { more: 1 });
    await rest(purse, "DELETE", `/classes/Memo/${body.objectId}`);
    await expect.poll(() => subscription.events.length).toBe(3);
    expect(subscription.events.map(({ event }) => event)).toEqual(["CREATE", "UPDATE", "DELETE"]);
    expect(subscription.events[0]?.node).toMatchObject({ title, author: { username: `author ${database}` } });
  });

  it("hide objects that the user may not read, and end with the session", async () => {
    const title = `private ${database}`;
    const owner = await signUp(`owner ${database}`);
    const other = await signUp(`other ${database}`);
    const own = subscribe(title, { "X-Parse-Session-Token": owner.sessionToken });
    const foreign = subscribe(title, { "X-Parse-Session-Token": other.sessionToken });
    await untilSubscribed(own, title);
    await untilSubscribed(foreign, title);
    own.events.length = 0;
    foreign.events.length = 0;
    const ACL = { [owner.id]: { read: true, write: true } };
    await rest(purse, "POST", "/classes/Memo", { title, ACL }, { sessionToken: owner.sessionToken });
    await rest(purse, "POST", "/classes/Memo", { title });
    await expect.poll(() => foreign.events.length).toBe(1);
    await expect.poll(() => own.events.length).toBe(2);
    await rest(purse, "POST", "/logout", {}, { sessionToken: owner.sessionToken });
    await expect.poll(() => own.problems.length).toBeGreaterThan(0);
  });

  it("reject forbidden classes, unknown applications, ended sessions and other operations", async () => {
    const closed = { classLevelPermissions: { find: {}, get: {} }, fields: { title: { type: "String" } } };
    await rest(purse, "POST", "/schemas/Closed", closed, { useMasterKey: true });
    const problemsOf = async (query: ReturnType<typeof gql>, credentials?: Record<string, string>) => {
      const problems: unknown[] = [];
      const subscription = subscriber(credentials)
        .subscribe({ query })
        .subscribe({
          next: ({ error }) => error && problems.push(error),
          error: (error: unknown) => problems.push(error),
        });
      closing.push(() => subscription.unsubscribe());
      await expect.poll(() => problems.length).toBeGreaterThan(0);
      return String(problems[0]);
    };
    const onClosed = gql`
      subscription {
        closedChanged {
          event
        }
      }
    `;
    expect(await problemsOf(onClosed)).toContain("Permission denied");
    expect(await problemsOf(onClosed, { "X-Parse-Application-Id": "other" })).toContain("unauthorized");
    expect(await problemsOf(onClosed, { "X-Parse-Session-Token": "r:none" })).toContain(
      "Invalid session token",
    );
    const query = gql`
      query {
        health
      }
    `;
    const problems: unknown[] = [];
    await subscriber()
      .query({ query })
      .catch((error: unknown) => problems.push(error));
    expect(String(problems[0])).toContain("over HTTP");
  });

  it("work with queries over HTTP on a split link", async () => {
    const http = new ApolloClient({
      cache: new InMemoryCache(),
      link: new HttpLink({
        uri: `${purse.url}/graphql`,
        headers: { "X-Parse-Application-Id": purse.appId },
      }),
    });
    const query = gql`
      {
        health
      }
    `;
    expect((await http.query({ query })).data).toEqual({ health: true });
  });
});
