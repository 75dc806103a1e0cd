import "./style.css";
import note from "./note.txt";
import list from "virtual:list";

declare const __MODE__: string;

async function start(element: HTMLElement | null): Promise<void> {
  const { render } = await import("./lazy.ts");
  if (element) element.textContent = render(list as number[], note, __MODE__);
}

void start(document.getElementById("app"));
