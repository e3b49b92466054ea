import { Field, type FieldProps } from "./Field.tsx";
import "./DateField.css";

/** A labeled input for a local date and time, `2026-01-31T12:00`. */
export function DateField(props: Omit<FieldProps, "type" | "className">) {
  return <Field {...props} type="datetime-local" className="date-field" />;
}
