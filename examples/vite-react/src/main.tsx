import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Shop } from "./shop.tsx";

const container = document.querySelector("#shop");
if (container === null) throw new Error("The page has no #shop.");
createRoot(container).render(
  <StrictMode>
    <Shop />
  </StrictMode>,
);
