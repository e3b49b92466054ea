import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import * as z from "zod/mini";
import { Field } from "../components/Field.tsx";
import { Form } from "./Form.tsx";
import { address, NO_MESSAGE, newName, optionalNumber, requiredText } from "./schemas.ts";
import { useForm } from "./useForm.ts";

afterEach(cleanup);

const SCHEMA = z.object({
  name: requiredText("Enter a name."),
  token: address,
  limit: optionalNumber((limit) => limit >= 1, "Enter 1 or more."),
});

function Example({ onSubmit }: { onSubmit: (values: unknown) => void }) {
  const form = useForm(SCHEMA, { name: "", token: "", limit: "" });
  return (
    <Form form={form} onSubmit={onSubmit} submitLabel="Save" busy={false}>
      <Field label="Name" {...form.input("name")} />
      <Field label="Token" {...form.input("token")} />
      <Field label="Limit" {...form.input("limit")} />
      <p>{form.isValid ? "valid" : "invalid"}</p>
    </Form>
  );
}

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

it("useForm() submits the parsed values: trimmed strings, numbers, undefined for an empty number", async () => {
  const submitted: unknown[] = [];
  render(<Example onSubmit={(values) => submitted.push(values)} />);
  type("Name", " Ada ");
  type("Token", `0x${"a1".repeat(20)}`);
  await screen.findByText("valid");
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  const values = { name: "Ada", token: `0x${"a1".repeat(20)}`, limit: undefined };
  await waitFor(() => expect(submitted).toEqual([values]));
  type("Limit", "12");
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(submitted[1]).toEqual({ ...values, limit: 12 }));
});

it("useForm() shows the problem of a field after a change, and all problems after submitting", async () => {
  const submitted: unknown[] = [];
  render(<Example onSubmit={(values) => submitted.push(values)} />);
  await screen.findByText("invalid");
  expect(screen.queryByRole("alert")).toBeNull();
  type("Token", "0x12");
  expect((await screen.findByRole("alert")).textContent).toContain("Invalid address");
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  await screen.findByText("Enter a name.");
  expect(submitted).toEqual([]);
});

it("useForm() does not show NO_MESSAGE", async () => {
  function Silent() {
    const form = useForm(z.object({ name: requiredText() }), { name: "menu" });
    return <Field label="Name" {...form.input("name")} hint={form.isValid ? "valid" : "invalid"} />;
  }
  render(<Silent />);
  await screen.findByText("valid");
  type("Name", "");
  await screen.findByText("invalid");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("newName() rejects names that are empty, not valid or already taken", () => {
  const schema = newName((name) => /^[a-z]+$/.test(name), "Use letters.", ["taken"], "It exists.");
  const messageOf = (name: string) => schema.safeParse(name).error?.issues[0]?.message;
  expect(["free", "", "9", "taken"].map(messageOf)).toEqual([
    undefined,
    NO_MESSAGE,
    "Use letters.",
    "It exists.",
  ]);
});
