/** Records the statements of this worker's tests if they run on PostgreSQL. */
import { inject } from "vitest";
import { startRecording } from "./statement-recording.ts";

const directory = inject("recordingDirectory");
if (directory !== null) startRecording(directory);
