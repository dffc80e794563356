/** Schemas of the paths under `/data/:account/:mode`. `guard.ts` checks the account and the mode. */
import Type from "typebox";
import { closed, Id } from "../params.ts";

const workspace = { account: Type.String(), mode: Type.String() };

export const WorkspacePath = Type.Object(workspace, closed);
export const WorkspacePathById = Type.Object({ ...workspace, id: Id }, closed);
