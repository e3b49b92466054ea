import { describe, expectTypeOf, it } from "vitest";
import {
  type CLP,
  type CountedResults,
  ParseObject,
  Query,
  type QueryKey,
  type Relation,
  type Subscription,
  User,
} from "./index.ts";

interface NoteFields {
  text: string;
  tags: string[];
  count: number;
  author: User;
  done?: boolean;
}

class Note extends ParseObject<NoteFields> {
  constructor() {
    super("Note");
  }
}

/** Checked by the compiler only. */
function compiled(_: () => unknown): void {}

describe("types", () => {
  it("of fields follow the class", () => {
    const note = new Note();
    expectTypeOf(note.get("text")).toEqualTypeOf<string>();
    expectTypeOf(note.get("done")).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(note.get("createdAt")).toEqualTypeOf<Date>();
    expectTypeOf(note.get("author")).toEqualTypeOf<User>();
    expectTypeOf(note.attributes).toEqualTypeOf<Readonly<NoteFields>>();
    expectTypeOf(note.set).toBeCallableWith({ text: "a" });
    expectTypeOf(note.addUnique<"tags">)
      .parameter(1)
      .toEqualTypeOf<string>();
    // @ts-expect-error There is no such field.
    compiled(() => note.get("txet"));
    // @ts-expect-error The field is a text.
    compiled(() => note.set("text", 1));
    // @ts-expect-error The field is a text.
    compiled(() => note.save({ text: 1 }));
    // @ts-expect-error The list is one of texts.
    compiled(() => note.add("tags", 1));
    // @ts-expect-error There is no such field.
    compiled(() => note.unset("txet"));
    // @ts-expect-error There is no such field.
    compiled(() => note.dirty("txet"));
  });

  it("of untyped objects' fields are unknown, never any", () => {
    const note = new ParseObject("Note");
    expectTypeOf(note.get("text")).toEqualTypeOf<unknown>();
    expectTypeOf(note.set).toBeCallableWith("anything", 1);
  });

  it("of keys in queries follow the class", () => {
    const query = new Query(Note);
    expectTypeOf<"text">().toExtend<QueryKey<Note>>();
    expectTypeOf<"author.username">().toExtend<QueryKey<Note>>();
    expectTypeOf<"txet">().not.toExtend<QueryKey<Note>>();
    compiled(() => query.equalTo("text", "a").include("author", "author.company").select("text,tags"));
    compiled(() =>
      query.ascending("count").addDescending(["createdAt", "text"]).exclude(["tags"]).watch("text"),
    );
    compiled(() => query.equalTo({ text: "a", objectId: "b" }));
    // @ts-expect-error There is no such field.
    compiled(() => query.equalTo("txet", "a"));
    // @ts-expect-error There is no such field.
    compiled(() => query.greaterThan("tnuoc", 1));
    // @ts-expect-error There is no such field.
    compiled(() => query.include("rohtua"));
    // @ts-expect-error There is no such field.
    compiled(() => query.select("text", "txet"));
    // @ts-expect-error There is no such field.
    compiled(() => query.exclude("txet"));
    // @ts-expect-error There is no such field.
    compiled(() => query.descending("txet"));
    // @ts-expect-error There is no such field.
    compiled(() => query.distinct("txet"));
  });

  it("of values in queries follow the fields", () => {
    const query = new Query(Note);
    const author = User.createWithoutData<User>("a");
    compiled(() => query.equalTo("done", true).equalTo("tags", "a").containsAll("tags", ["a"]));
    compiled(() => query.equalTo("author", author).notEqualTo("author", author.toPointer()));
    compiled(() => query.greaterThan("createdAt", new Date()).equalTo("author.age", 5).equalTo("text", null));
    // @ts-expect-error The field is a boolean.
    compiled(() => query.equalTo("done", 5));
    // @ts-expect-error The field is a boolean.
    compiled(() => query.equalTo({ done: 5 }));
    // @ts-expect-error The field is a number.
    compiled(() => query.lessThan("count", "a"));
    // @ts-expect-error The list is one of texts.
    compiled(() => query.containedIn("tags", [1]));
    // @ts-expect-error The field is a date.
    compiled(() => query.lessThan("updatedAt", 1));
  });

  it("of keys in untyped queries accept any string", () => {
    compiled(() => new Query("Note").equalTo("anything", 1).include("at.all").ascending("b"));
    expectTypeOf(new Query("Note")).toEqualTypeOf<Query>();
  });

  it("of results follow the query", () => {
    expectTypeOf(new Query(Note).find).returns.resolves.toEqualTypeOf<Note[]>();
    expectTypeOf(new Query<Note>("Note").first).returns.resolves.toEqualTypeOf<Note | undefined>();
    expectTypeOf(new Query("Note").find).returns.resolves.toEqualTypeOf<ParseObject[]>();
    expectTypeOf(new Query(Note).findWithCount).returns.resolves.toEqualTypeOf<CountedResults<Note>>();
    expectTypeOf(new Query(Note).subscribe).returns.resolves.toEqualTypeOf<Subscription<Note>>();
    expectTypeOf(Query.or(new Query(Note), new Query(Note))).toEqualTypeOf<Query<Note>>();
    const counts = () => new Query(Note).map((note) => note.get("count"));
    expectTypeOf(counts).returns.resolves.toEqualTypeOf<number[]>();
  });

  it("of relations follow their objects", () => {
    const relation = new ParseObject("Shelf").relation<Note>("notes");
    expectTypeOf(relation).toEqualTypeOf<Relation<Note>>();
    expectTypeOf(relation.query).returns.toEqualTypeOf<Query<Note>>();
  });

  it("of lists are preserved by saveAll() and createWithoutData()", () => {
    expectTypeOf(ParseObject.saveAll<Note>).returns.resolves.toEqualTypeOf<Note[]>();
    expectTypeOf(Note.createWithoutData<Note>).returns.toEqualTypeOf<Note>();
  });

  it("allow typed classes to be registered and users to have custom fields", () => {
    ParseObject.registerSubclass("Note", Note);
    expectTypeOf(new User<{ nick: string }>().get("nick")).toEqualTypeOf<string>();
    expectTypeOf(new User().get("ethAddress")).toEqualTypeOf<string>();
    // @ts-expect-error The field is a text.
    compiled(() => new User().set("username", 1));
  });

  it("of CLP have a method for each operation", () => {
    expectTypeOf<CLP["setPublicAddFieldAccess"]>().parameter(0).toEqualTypeOf<boolean>();
    expectTypeOf<CLP["getFindPointerFields"]>().returns.toEqualTypeOf<string[] | undefined>();
  });
});
