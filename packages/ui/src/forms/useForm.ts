import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import type { BaseSyntheticEvent, RefCallback } from "react";
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type PathValue,
  useForm as useHookForm,
} from "react-hook-form";
import type { $ZodType } from "zod/v4/core";
import { useTranslation } from "../i18n/TranslationContext.tsx";

/** What a component needs to submit a form. */
export interface SubmittableForm<Output> {
  /** Whether the schema accepts the values. */
  isValid: boolean;
  /** An event handler that runs `handle` with the parsed values if they are valid. */
  submit(handle: (values: Output) => void): (event?: BaseSyntheticEvent) => void;
}

export interface FormState<Input extends FieldValues, Output> extends SubmittableForm<Output> {
  /** The values as they are entered. */
  values: Input;
  isDirty: boolean;
  /** The translated validation message of a field. */
  problemOf(name: Path<Input>): string | undefined;
  set<Name extends Path<Input>>(name: Name, value: PathValue<Input, Name>): void;
  /** Restores the default values. */
  reset(): void;
  /** Properties of a `Field` or `TextArea`. */
  input<Name extends Path<Input>>(
    name: Name,
  ): {
    ref: RefCallback<HTMLElement>;
    name: string;
    value: PathValue<Input, Name>;
    onChange: (event: { target: { value: PathValue<Input, Name> } }) => void;
    problem: string | undefined;
  };
  /** Properties of an input that is not a text field, such as `Select`. */
  choice<Name extends Path<Input>>(
    name: Name,
  ): { value: PathValue<Input, Name>; onChange: (value: PathValue<Input, Name>) => void };
  /** Properties of a `Checkbox`. */
  toggle<Name extends Path<Input>>(
    name: Name,
  ): { checked: boolean; onChange: (is: PathValue<Input, Name>) => void };
}

/**
 * A form whose values are validated by a schema. A field shows its problem if it was changed, or after an attempt to
 * submit. Messages of the schema are translated; `NO_MESSAGE` only makes the form invalid.
 */
export function useForm<Input extends FieldValues, Output extends FieldValues>(
  schema: $ZodType<Output, Input>,
  defaultValues: DefaultValues<NoInfer<Input>>,
): FormState<Input, Output> {
  const { t } = useTranslation();
  const form = useHookForm<Input, unknown, Output>({
    resolver: standardSchemaResolver(schema),
    defaultValues,
    mode: "onChange",
  });
  const { formState, watch } = form;
  const problemOf = (name: Path<Input>) => {
    const { error, isDirty } = form.getFieldState(name, formState);
    const message = error?.message?.trim();
    return message && (isDirty || formState.isSubmitted) ? t(message) : undefined;
  };
  const set: FormState<Input, Output>["set"] = (name, value) => {
    form.setValue(name, value, { shouldDirty: true });
    // All fields, since the problem of a field may depend on others.
    void form.trigger();
  };
  return {
    values: watch(),
    isDirty: formState.isDirty,
    isValid: formState.isValid,
    problemOf,
    set,
    reset: () => form.reset(),
    submit: (handle) => (event) => void form.handleSubmit(handle)(event),
    input: (name) => ({
      ref: form.register(name).ref,
      name,
      value: watch(name),
      onChange: ({ target }) => set(name, target.value),
      problem: problemOf(name),
    }),
    choice: (name) => ({ value: watch(name), onChange: (value) => set(name, value) }),
    toggle: (name) => ({ checked: watch(name) === true, onChange: (is) => set(name, is) }),
  };
}
