#!/usr/bin/env node
import { main } from "../dist/types/command.js";

process.exitCode = await main(process.argv.slice(2));
