import { type RefObject, useLayoutEffect, useState } from "react";
import { createPortal } from "react-dom";

export interface CellProblemProps {
  id: string;
  /** The input below which it is shown; the grid would cut it off. */
  input: RefObject<HTMLElement | null>;
  children: string;
}

/** What is wrong with the value in the editor of a cell. */
export function CellProblem({ id, input, children }: CellProblemProps) {
  const [place, setPlace] = useState({ top: 0, left: 0 });
  useLayoutEffect(() => {
    const follow = () => {
      const box = input.current?.getBoundingClientRect();
      if (box) setPlace({ top: box.bottom, left: box.left });
    };
    follow();
    // The grid and the page scroll.
    window.addEventListener("scroll", follow, true);
    window.addEventListener("resize", follow);
    return () => {
      window.removeEventListener("scroll", follow, true);
      window.removeEventListener("resize", follow);
    };
  }, [input]);
  return createPortal(
    <p id={id} className="cell-problem" role="alert" style={place}>
      {children}
    </p>,
    document.body,
  );
}
