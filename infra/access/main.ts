#!/usr/bin/env node
import { runProgram } from '../deploy/run.ts';
import { createAccessProgram } from './program.ts';

await runProgram(createAccessProgram());
