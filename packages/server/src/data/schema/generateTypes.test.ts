import { describe, expect, it } from "vitest";
import { generateTypes } from "./generateTypes.ts";

const note = {
  className: "Note",
  fields: {
    objectId: { type: "String" },
    title: { type: "String", required: true },
    author: { type: "Pointer", targetClass: "_User" },
    readers: { type: "Relation", targetClass: "Gone" },
  },
};

describe("the generated types", () => {
  it("have the fields of a class besides those of every object, the required ones without a question mark", () => {
    const text = generateTypes([note, { className: "_User", fields: { nick: { type: "String" } } }]);
    expect(text).toContain(
      [
        "export type Note = purse.ParseObject<{",
        "  author?: User;",
        "  readers?: purse.Relation<purse.ParseObject>;",
        "  title: string;",
        "}>;",
      ].join("\n"),
    );
    expect(text).toContain("export type User = purse.User<{\n  nick?: string;\n}>;");
  });

  it("do not depend on the order of the classes", () => {
    const other = { className: "Author", fields: {} };
    expect(generateTypes([note, other])).toBe(generateTypes([other, note]));
  });

  it("leave out classes that applications do not use", () => {
    expect(generateTypes([{ className: "_Hooks", fields: {} }])).not.toContain("Hooks");
  });

  it.each([
    ["User", "User_"],
    ["Array", "Array"],
    ["delete", "delete_"],
    ["purse", "purse_"],
    ["toString", "toString"],
  ])("of a class %s are called %s", (className, name) => {
    const text = generateTypes([
      { className, fields: {} },
      { className: "_User", fields: {} },
    ]);
    expect(text).toContain(`export type ${name} = purse.ParseObject<{`);
  });

  it("import the client from the package of the application", () => {
    expect(generateTypes([], "moralis")).toContain('import type * as purse from "moralis";');
  });
});
