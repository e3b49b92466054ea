import { describe, expectTypeOf, it } from "vitest";
import { ParseObject, Query, User } from "./index.ts";

interface NoteFields {
  text: string;
  tags: string[];
}

class Note extends ParseObject<NoteFields> {
  constructor() {
    super("Note");
  }
}

describe("types", () => {
  it("of fields follow the class", () => {
    const note = new Note();
    expectTypeOf(note.get("text")).toEqualTypeOf<string>();
    expectTypeOf(note.get("createdAt")).toEqualTypeOf<Date>();
    expectTypeOf(note.attributes).toEqualTypeOf<Readonly<NoteFields>>();
    expectTypeOf(note.set).toBeCallableWith({ text: "a" });
    expectTypeOf(note.addUnique<"tags">)
      .parameter(1)
      .toEqualTypeOf<string>();
  });

  it("of untyped objects are unknown, never any", () => {
    expectTypeOf(new ParseObject("Note").get("text")).toEqualTypeOf<unknown>();
  });

  it("of results follow the query", () => {
    expectTypeOf(new Query(Note).find).returns.resolves.toEqualTypeOf<Note[]>();
    expectTypeOf(new Query<Note>("Note").first).returns.resolves.toEqualTypeOf<Note | undefined>();
    expectTypeOf(new Query("Note").find).returns.resolves.toEqualTypeOf<ParseObject[]>();
  });

  it("let typed classes be registered and users hold own fields", () => {
    ParseObject.registerSubclass("Note", Note);
    expectTypeOf(new User<{ nick: string }>().get("nick")).toEqualTypeOf<string>();
    expectTypeOf(new User().get("ethAddress")).toEqualTypeOf<string>();
  });
});
