import type { ComponentProps, ReactNode } from "react";

/** A list of labeled details. */
export function DetailList(props: ComponentProps<"dl">) {
  return <dl className="facts" {...props} />;
}

export interface DetailProps extends ComponentProps<"dd"> {
  label: ReactNode;
}

/** A label and its value, in a `DetailList`. The other props are those of the value. */
export function Detail({ label, ...value }: DetailProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd {...value} />
    </div>
  );
}
