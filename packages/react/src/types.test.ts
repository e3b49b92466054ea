import { ParseObject, type User } from "@purse/client";
import { describe, expectTypeOf, it } from "vitest";
import {
  type CallError,
  useInfiniteMoralisQuery,
  useMoralis,
  useMoralisCloudFunction,
  useMoralisQuery,
  useMoralisSubscription,
  useNewMoralisObject,
  useSuspenseMoralisQuery,
  useWeb3Contract,
  useWeb3Transfer,
} from "./index.ts";

interface NoteFields {
  text: string;
  likes: number;
  author: User;
}

class Note extends ParseObject<NoteFields> {
  constructor() {
    super("Note");
  }
}

/** Checked by the compiler only: hooks are never called here. */
function compiled(_: () => unknown): void {}

describe("types", () => {
  it("of objects follow the class of the type argument", () => {
    compiled(() => {
      const { data, fetch } = useMoralisQuery<Note>("Note", (query) => query.greaterThan("likes", 3));
      expectTypeOf(data).toEqualTypeOf<Note[]>();
      expectTypeOf(fetch).returns.resolves.toEqualTypeOf<Note[] | undefined>();
      expectTypeOf(useSuspenseMoralisQuery<Note>("Note").data).toEqualTypeOf<Note[]>();
      expectTypeOf(useInfiniteMoralisQuery<Note>("Note").data).toEqualTypeOf<readonly Note[]>();
      useMoralisSubscription<Note>("Note", (query) => query, [], {
        onCreate: (note) => expectTypeOf(note).toEqualTypeOf<Note>(),
      });
      // @ts-expect-error There is no such field.
      useMoralisQuery<Note>("Note", (query) => query.equalTo("txet", "a"));
      // @ts-expect-error The field is a number.
      useMoralisQuery<Note>("Note", (query) => query.greaterThan("likes", "many"));
    });
  });

  it("of objects follow the fields of the type argument, as in react-moralis", () => {
    compiled(() => {
      const { data } = useMoralisQuery<NoteFields>("Note", (query) => query.descending("likes"));
      expectTypeOf(data).toEqualTypeOf<ParseObject<NoteFields>[]>();
      const { save, object } = useNewMoralisObject<NoteFields>("Note");
      expectTypeOf(object).toEqualTypeOf<ParseObject<NoteFields> | null>();
      void save({ text: "a" });
      void save();
      // @ts-expect-error The field is a text.
      void save({ text: 1 });
    });
  });

  it("of objects without a type argument are unknown, never any", () => {
    compiled(() => {
      const { data } = useMoralisQuery("Note", (query) => query.equalTo("anything", 1));
      expectTypeOf(data).toEqualTypeOf<ParseObject[]>();
      void useNewMoralisObject("Note").save({ anything: 1 });
    });
  });

  it("of errors extend Error with an optional code", () => {
    compiled(() => {
      expectTypeOf(useMoralisQuery("Note").error).toEqualTypeOf<CallError | null>();
      expectTypeOf(useWeb3Transfer().error).toEqualTypeOf<CallError | null>();
      expectTypeOf(useMoralis().authError).toEqualTypeOf<CallError | null>();
      expectTypeOf(useMoralis().web3EnableError).toExtend<Error | null>();
      void useMoralis().authenticate({ onError: ({ message, code }) => [message.length, code] });
      void useMoralisCloudFunction("f").fetch({ onError: (error: Error) => error.message });
    });
  });

  it("of contract calls accept numbers as value and any object as ABI, as in react-moralis", () => {
    compiled(() => {
      const abi: object = JSON.parse("[]");
      useWeb3Contract({ abi, contractAddress: "0x1", functionName: "f", params: { a: 1 }, msgValue: 100 });
    });
  });
});
