import { Field, requiredText, secret, useForm, useTranslation } from "@purse/ui";
import * as z from "zod/mini";
import { CreateSecretDialog } from "../../components/CreateSecretDialog.tsx";
import { useStudioMutation } from "../../components/useStudioQuery.ts";

const NEW_TOKEN = z.object({ name: requiredText(), password: secret() });

/** Creates an access token for an AI tool and shows it once. */
export function NewAccessToken({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm(NEW_TOKEN, { name: "", password: "" });
  const create = useStudioMutation((studio, token: z.infer<typeof NEW_TOKEN>) =>
    studio.post("/access-tokens", token),
  );
  return (
    <CreateSecretDialog
      onClose={onClose}
      title={t("Create access token")}
      form={form}
      mutation={create}
      secret={create.data?.token}
      secretTitle={t("Your new access token")}
      secretLabel={t("Access token")}
      warning={t("You won't see this token again. The server stores only a hash of it.")}
      hint={t("AI tools send it to /mcp as a bearer token. It has your role and is valid for 90 days.")}
    >
      <Field
        label={t("Name")}
        hint={t("The AI tool or program that uses this token.")}
        {...form.input("name")}
        maxLength={100}
        autoComplete="off"
      />
      <Field
        label={t("Current password")}
        type="password"
        {...form.input("password")}
        autoComplete="current-password"
      />
    </CreateSecretDialog>
  );
}
