/**
 * Types of the JSON documents that the page and the server exchange. This file contains no code.
 *
 * @typedef {[number, number]} XY a place, in data coordinates or in pixels
 * @typedef {[number, number, number]} Point x, y and the code of the class (its number in `classes`)
 * @typedef {[number, number, number, number, number, number, number]} Gaussian mean mx, my; half-axes ax, ay and bx, by; code of the class
 * @typedef {string | number} Label
 * @typedef {[number, number, number, number]} Box lowest x, highest x, lowest y, highest y
 *
 * @typedef {object} PaneChoice
 * @property {string} algorithm
 * @property {Record<string, any>} options the options that differ from their defaults
 *
 * @typedef {object} Board
 * @property {1} rosenblatt_lab
 * @property {[string, string]} names
 * @property {Label[]} classes
 * @property {Point[]} points
 * @property {Gaussian[]} gaussians
 * @property {PaneChoice[]} panes
 * @property {Box} view
 * @property {number} step
 *
 * @typedef {object} Option
 * @property {string} name
 * @property {string} label
 * @property {"choice" | "number" | "integer" | "flag" | "weights" | "slider"} kind
 * @property {any} default
 * @property {{value: any, label: string}[]} [choices]
 * @property {number | null} [low]
 * @property {number | null} [high]
 * @property {number | null} [step]
 * @property {Record<string, any[]> | null} [when]
 * @property {string} [help]
 *
 * @typedef {object} Algorithm
 * @property {string} name
 * @property {string} label
 * @property {string} group
 * @property {string} about
 * @property {[number, number]} classes
 * @property {"points" | "gaussians or points" | "nothing"} needs
 * @property {boolean} [animated] whether a run can be saved as a GIF or an HTML page
 * @property {Option[]} options
 *
 * @typedef {object} DataSet
 * @property {string} name
 * @property {string} label
 * @property {string} group
 * @property {string} about
 * @property {Option[]} options
 * @property {PaneChoice[] | null} panes
 *
 * @typedef {object} Catalogue
 * @property {{points: number, classes: number, gaussians: number, steps: number, bytes: number}} limits
 * @property {Algorithm[]} algorithms
 * @property {DataSet[]} data
 *
 * @typedef {object} Loaded
 * @property {Partial<Board>} board
 * @property {string} about
 * @property {string[]} columns
 * @property {(number | string)[]} shown
 * @property {string | null} target name of the class column; null means the last column
 * @property {string[]} [fields] all columns of the table, with the class column
 *
 * @typedef {object} Shape
 * @property {"polygon" | "cells" | "line" | "arrow" | "arc" | "mark" | "ellipse" | "text"} type
 * @property {string} role
 * @property {number | null} [code]
 * @property {XY[]} [points]
 * @property {string} [title]
 * @property {string} [label]
 * @property {string} [text]
 * @property {XY} [at]
 * @property {XY} [a]
 * @property {XY} [b]
 * @property {Box} [box]
 * @property {number} [columns]
 * @property {number} [rows]
 * @property {[number, number, number, number][]} [runs]
 *
 * @typedef {object} Frame
 * @property {string} head
 * @property {string[] | null} cells
 * @property {number | null} [point]
 * @property {number[]} [points]
 * @property {string} score
 * @property {string} formula
 * @property {string} sentence
 * @property {"start" | "right" | "update" | "mistake" | "step"} kind
 * @property {number | null} [ground] index in `grounds` of the run: the shapes that change only with the weights
 * @property {Shape[]} shapes the shapes of this step only
 *
 * @typedef {object} Series
 * @property {string} name
 * @property {string} role
 * @property {XY[]} points
 * @property {boolean} [steps]
 *
 * @typedef {object} ChartData
 * @property {string} title
 * @property {string} x
 * @property {string} y
 * @property {Box} box
 * @property {number[]} xticks
 * @property {number[]} yticks
 * @property {Series[]} series
 * @property {string} [note]
 *
 * @typedef {object} Run
 * @property {string} title
 * @property {Shape[][]} [grounds]
 * @property {string[]} columns
 * @property {boolean[]} numeric
 * @property {Frame[]} frames
 * @property {ChartData | null} chart
 * @property {{kind: "good" | "bad" | "open", text: string}} outcome
 * @property {boolean} cut
 * @property {boolean} [axes] false if the coordinates of the plane have no meaning
 *
 * @typedef {object} Verdict
 * @property {"strict" | "weak" | "overlap" | "undecided" | "empty"} kind
 * @property {string} headline
 * @property {string} explain
 * @property {[string, string][]} facts
 * @property {{row: number, class: Label, weight: string}[]} witness
 * @property {Shape[]} shapes
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} label
 * @property {"choice" | "number" | "numbers" | "line" | "board"} kind
 * @property {string[]} [choices]
 * @property {number} [count]
 * @property {string[]} [parts] a name for each number
 *
 * @typedef {{prompt: string, fields: Field[]}} Ask
 *
 * @typedef {object} LessonStep
 * @property {string[]} say
 * @property {Board | null} board
 * @property {number | null} t
 * @property {boolean} proof
 * @property {Ask | null} ask
 *
 * @typedef {{id: string, title: string, lecture: string, steps: LessonStep[]}} Lesson
 * @typedef {{id: string, title: string, about: string}} Exercise
 * @typedef {{lessons: Lesson[], exercises: Exercise[]}} Lessons
 *
 * @typedef {object} Checked
 * @property {boolean} right
 * @property {string} say
 * @property {Record<string, {right: boolean, say: string}>} fields
 * @property {Record<string, any>} [answers] the right answers, if the reader asked to see them
 * @property {{t?: number | null, proof?: boolean, shapes?: Shape[]} | null} reveal
 */

export {};
