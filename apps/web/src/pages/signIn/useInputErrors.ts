import { ErrorCode } from "@purse/client";
import { ownValue } from "@purse/protocol";
import { explain, useTranslation } from "@purse/ui";
import { useState } from "react";

/** The inputs of an account that errors of the server are about. */
const INPUTS: Readonly<Record<string, string>> = {
  [ErrorCode.INVALID_EMAIL_ADDRESS]: "email",
  [ErrorCode.EMAIL_TAKEN]: "email",
  [ErrorCode.USERNAME_TAKEN]: "username",
};

export interface InputErrors {
  /** The properties of an input with what the server says of it, as long as its value is not changed. */
  of(input: string): { problem?: string };
  /** The error, if it is not about an input. */
  other: unknown;
}

/** Shows an error of the server at the input that it is about, rather than at the end of the form. */
export function useInputErrors(error: unknown, values: Readonly<Record<string, string>>): InputErrors {
  const { t } = useTranslation();
  const [refused, setRefused] = useState({ error, values });
  if (refused.error !== error) setRefused({ error, values });
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const wrongInput = ownValue(INPUTS, code);
  return {
    of(input) {
      if (wrongInput !== input || refused.values[input] !== values[input]) return {};
      const { title, detail } = explain(error, t);
      return { problem: `${title}. ${detail}` };
    },
    other: wrongInput === undefined ? error : undefined,
  };
}
