import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { Field, type FieldProps } from "./Field.tsx";
import { IconButton } from "./IconButton.tsx";

/** A password field with a button that shows the password. */
export function PasswordField(props: Omit<FieldProps, "type" | "after">) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field
      {...props}
      type={isShown ? "text" : "password"}
      autoCapitalize="none"
      spellCheck={false}
      after={
        <IconButton
          icon={Icon}
          label={t("Show password")}
          size={18}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  );
}
