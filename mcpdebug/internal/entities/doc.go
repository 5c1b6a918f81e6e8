// Package entities is what tools that are told of entities and components share:
// the forms that an entity argument takes ([Arg]), and how what does not fit is
// refused.
package entities
