import { ApolloClient, gql, HttpLink, InMemoryCache } from "@apollo/client/core";
import { CombinedGraphQLErrors } from "@apollo/client/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest } from "../support/purse.ts";
import { send } from "../support/send.ts";

/** An unmodified Apollo client; `headers` are its credentials. */
function apolloClient(purse: Purse, headers: Record<string, string> = {}): ApolloClient {
  return new ApolloClient({
    cache: new InMemoryCache(),
    link: new HttpLink({
      uri: `${purse.url}/graphql`,
      headers: { "X-Parse-Application-Id": purse.appId, ...headers },
    }),
    defaultOptions: { query: { fetchPolicy: "no-cache" }, mutate: { fetchPolicy: "no-cache" } },
  });
}

/** Returns the error codes of an operation. */
async function codesOf(operation: Promise<unknown>): Promise<unknown[]> {
  const error: unknown = await operation.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!CombinedGraphQLErrors.is(error)) throw error ?? new Error("The operation succeeded");
  return error.errors.map(({ extensions }) => extensions?.code);
}

const SIGN_UP = gql`
  mutation SignUp($fields: CreateUserFieldsInput) {
    signUp(input: { fields: $fields }) {
      viewer {
        sessionToken
        user {
          id
          objectId
          username
        }
      }
    }
  }
`;

describe.each(DATABASES)("GraphQL with Apollo's client on %s", (database) => {
  let purse: Purse;
  let anonymous: ApolloClient;
  let master: ApolloClient;

  beforeAll(async () => {
    purse = await hostPurse({ env: await databaseEnv(database) });
    anonymous = apolloClient(purse);
    master = apolloClient(purse, { "X-Parse-Master-Key": purse.masterKey });
    await master.mutate({
      mutation: gql`
        mutation {
          author: createClass(input: { name: "Author", schemaFields: { addStrings: [{ name: "name" }] } }) {
            class {
              name
            }
          }
          book: createClass(
            input: {
              name: "Book"
              schemaFields: {
                addStrings: [{ name: "title" }]
                addNumbers: [{ name: "pages" }]
                addPointers: [{ name: "author", targetClassName: "Author" }]
                addRelations: [{ name: "readers", targetClassName: "_User" }]
              }
            }
          ) {
            class {
              name
            }
          }
        }
      `,
    });
  });
  afterAll(() => purse.remove());

  it("creates, links, queries, paginates, updates and deletes objects", async () => {
    const create = gql`
      mutation Create($fields: CreateBookFieldsInput) {
        createBook(input: { fields: $fields }) {
          book {
            id
            objectId
            title
            author {
              id
              name
            }
          }
        }
      }
    `;
    const ids: string[] = [];
    for (const pages of [100, 200, 300]) {
      const fields = { title: `Book of ${pages}`, pages, author: { createAndLink: { name: `By ${pages}` } } };
      const { data } = await anonymous.mutate<{ createBook: { book: Record<string, unknown> } }>({
        mutation: create,
        variables: { fields },
      });
      expect(data?.createBook.book).toMatchObject({
        title: `Book of ${pages}`,
        author: { name: `By ${pages}` },
      });
      ids.push(String(data?.createBook.book.id));
    }
    const find = gql`
      query Find($after: String) {
        books(where: { pages: { greaterThan: 50 } }, order: [pages_ASC], first: 2, after: $after) {
          count
          pageInfo {
            hasNextPage
            endCursor
          }
          edges {
            node {
              title
              author {
                name
              }
            }
          }
        }
      }
    `;
    interface Found {
      books: {
        count: number;
        pageInfo: { hasNextPage: boolean; endCursor: string };
        edges: { node: { title: string; author: { name: string } } }[];
      };
    }
    const first = await anonymous.query<Found>({ query: find });
    expect(first.data?.books).toMatchObject({ count: 3, pageInfo: { hasNextPage: true } });
    expect(first.data?.books.edges.map(({ node }) => node.author.name)).toEqual(["By 100", "By 200"]);
    const after = first.data?.books.pageInfo.endCursor;
    const second = await anonymous.query<Found>({ query: find, variables: { after } });
    expect(second.data?.books.edges.map(({ node }) => node.title)).toEqual(["Book of 300"]);
    expect(second.data?.books.pageInfo.hasNextPage).toBe(false);

    const update = gql`
      mutation Update($id: ID!) {
        updateBook(input: { id: $id, fields: { title: "Changed", pages: null } }) {
          book {
            title
            pages
          }
        }
      }
    `;
    const updated = await anonymous.mutate({ mutation: update, variables: { id: ids[0] } });
    expect(updated.data).toMatchObject({ updateBook: { book: { title: "Changed", pages: null } } });
    const remove = gql`
      mutation Delete($id: ID!) {
        deleteBook(input: { id: $id }) {
          book {
            title
          }
        }
      }
    `;
    const removed = await anonymous.mutate({ mutation: remove, variables: { id: ids[0] } });
    expect(removed.data).toMatchObject({ deleteBook: { book: { title: "Changed" } } });
    expect(await codesOf(anonymous.mutate({ mutation: remove, variables: { id: ids[0] } }))).toEqual([101]);
  });

  it("signs users up, in and out, and applies the permissions of their sessions", async () => {
    const fields = { username: `user-${database}`, password: "a long password" };
    interface SignedUp {
      signUp: { viewer: { sessionToken: string; user: { objectId: string; username: string } } };
    }
    const { data } = await anonymous.mutate<SignedUp>({ mutation: SIGN_UP, variables: { fields } });
    const { sessionToken, user } = data?.signUp.viewer ?? { sessionToken: "", user: undefined };
    expect(user?.username).toBe(fields.username);
    const signedIn = apolloClient(purse, { "X-Parse-Session-Token": sessionToken });
    const own = await signedIn.mutate<{ createBook: { book: { id: string } } }>({
      mutation: gql`
        mutation ($userId: ID!) {
          createBook(
            input: { fields: { title: "Private", ACL: { users: [{ userId: $userId, read: true, write: true }] } } }
          ) {
            book {
              id
            }
          }
        }
      `,
      variables: { userId: user?.objectId },
    });
    const read = gql`
      query ($id: ID!) {
        book(id: $id) {
          title
        }
        viewer {
          user {
            username
          }
        }
      }
    `;
    const variables = { id: own.data?.createBook.book.id };
    const mine = await signedIn.query({ query: read, variables });
    expect(mine.data).toEqual({
      book: expect.objectContaining({ title: "Private" }),
      viewer: expect.objectContaining({ user: expect.objectContaining({ username: fields.username }) }),
    });
    const readBook = gql`
      query ($id: ID!) {
        book(id: $id) {
          title
        }
      }
    `;
    expect(await codesOf(anonymous.query({ query: readBook, variables }))).toEqual([101]);
    const viewer = gql`
      {
        viewer {
          sessionToken
        }
      }
    `;
    expect(await codesOf(anonymous.query({ query: viewer }))).toEqual([209]);
    const logIn = gql`
      mutation ($username: String!, $password: String!) {
        logIn(input: { username: $username, password: $password }) {
          viewer {
            sessionToken
          }
        }
      }
    `;
    expect((await anonymous.mutate({ mutation: logIn, variables: fields })).error).toBeUndefined();
    const wrong = anonymous.mutate({ mutation: logIn, variables: { ...fields, password: "wrong" } });
    expect(await codesOf(wrong)).toEqual([101]);
    await signedIn.mutate({
      mutation: gql`
        mutation {
          logOut(input: {}) {
            ok
          }
        }
      `,
    });
    const afterLogOut = await rest(purse, "GET", "/users/me", undefined, { sessionToken });
    expect(afterLogOut.body.code).toBe(209);
  });

  it("updates the schema as soon as a class changes", async () => {
    await rest(purse, "POST", "/classes/LateClass", { word: "here" });
    const query = gql`
      {
        lateClasses {
          edges {
            node {
              word
            }
          }
        }
      }
    `;
    const { data } = await anonymous.query({ query });
    expect(data).toMatchObject({ lateClasses: { edges: [{ node: { word: "here" } }] } });
  });
});

it("GraphQL that is turned off answers neither requests nor sockets, and keeps its configuration", async () => {
  const purse = await hostPurse({ env: { PURSE_GRAPHQL: "0" } });
  const url = `${purse.url}/graphql`;
  const request = { method: "POST", headers: { "x-parse-application-id": purse.appId }, body: "{}" };
  expect((await send(url, request)).status).toBe(404);
  const upgrade = { connection: "Upgrade", upgrade: "websocket" };
  expect((await send(url, { method: "GET", headers: upgrade })).status).toBe(404);
  expect(await rest(purse, "GET", "/graphql-config", undefined, { useMasterKey: true })).toMatchObject({
    status: 200,
  });
  await purse.remove();
});
