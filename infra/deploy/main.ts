#!/usr/bin/env node
import { createDeployProgram } from './program.ts';
import { runProgram } from './run.ts';

await runProgram(createDeployProgram());
