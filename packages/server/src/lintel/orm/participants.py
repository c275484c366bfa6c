"""The functions of Django that take part in finding rows, converting values and making instances.

A shortcut stands for all of them. ``test_orm_participants.py`` sees with a profiler which functions
run without shortcuts, and holds that each is called, or listed here, so that a replacement is
noticed (:mod:`lintel.orm.originals`). One list for each tested version: what all have, and what
single versions add. The keys are classes (``module:Class``) and modules.
"""

from __future__ import annotations

from collections.abc import Iterator

import django

Names = dict[str, str]

_IN_ALL: Names = {
    "django.db.backends.base.operations:BaseDatabaseOperations": (
        "_get_limit_offset_params check_expression_support compiler force_no_ordering "
        "get_db_converters integer_field_range limit_offset_sql lookup_cast "
        "prepare_join_on_clause"
    ),
    "django.db.backends.postgresql.operations:DatabaseOperations": (
        "lookup_cast prepare_join_on_clause quote_name"
    ),
    "django.db.backends.postgresql.psycopg_any:BaseTzLoader": "load",
    "django.db.backends.sqlite3.operations:DatabaseOperations": (
        "check_expression_support convert_booleanfield_value convert_datetimefield_value "
        "get_decimalfield_converter integer_field_range quote_name"
    ),
    "django.db.models.aggregates:Aggregate": (
        "__init__ as_sql get_source_expressions resolve_expression set_source_expressions"
    ),
    "django.db.models.aggregates:Count": "__init__ resolve_expression",
    "django.db.models.base:Model": "__init__ _get_pk_val _is_pk_set from_db pk",
    "django.db.models.base:ModelStateFieldsCacheDescriptor": "__get__",
    "django.db.models.expressions": "make_hashable",
    "django.db.models.expressions:BaseExpression": (
        "__getstate__ __init__ _parse_expressions contains_aggregate contains_over_clause "
        "convert_value copy get_db_converters get_lookup get_refs get_source_expressions "
        "replace_expressions resolve_expression select_format set_source_expressions"
    ),
    "django.db.models.expressions:Col": "__init__ as_sql get_db_converters",
    "django.db.models.expressions:Expression": "__hash__ __new__ _identity identity",
    "django.db.models.expressions:F": "__hash__ resolve_expression",
    "django.db.models.expressions:Func": (
        "__init__ __new__ as_sql copy get_source_expressions set_source_expressions"
    ),
    "django.db.models.expressions:OrderBy": (
        "__init__ __new__ as_sql get_source_expressions set_source_expressions"
    ),
    "django.db.models.expressions:Ref": "__init__",
    "django.db.models.expressions:SQLiteNumericMixin": "as_sqlite",
    "django.db.models.expressions:Star": "as_sql",
    "django.db.models.fields": "normalize_choices",
    "django.db.models.fields.composite": "unnest",
    "django.db.models.fields.mixins:FieldCacheMixin": "get_cached_value is_cached set_cached_value",
    "django.db.models.fields.related:ForeignKey": "db_type get_col get_db_converters target_field",
    "django.db.models.fields.related:ForeignObject": (
        "get_extra_descriptor_filter get_extra_restriction get_foreign_related_value "
        "get_instance_value_for_fields get_joining_fields get_local_related_value"
    ),
    "django.db.models.fields.related:RelatedField": (
        "get_reverse_related_filter related_query_name"
    ),
    "django.db.models.fields.related_descriptors:ForeignKeyDeferredAttribute": "__set__",
    "django.db.models.fields.related_descriptors:ForwardManyToOneDescriptor": (
        "__get__ get_object get_queryset"
    ),
    "django.db.models.fields.related_descriptors:ReverseManyToOneDescriptor": "__get__",
    "django.db.models.fields.reverse_related:ForeignObjectRel": "remote_field",
    "django.db.models.fields:AutoField": "get_internal_type rel_db_type",
    "django.db.models.fields:BigAutoField": "get_internal_type",
    "django.db.models.fields:BooleanField": "get_internal_type",
    "django.db.models.fields:CharField": "get_internal_type",
    "django.db.models.fields:DateTimeField": "get_internal_type",
    "django.db.models.fields:DecimalField": "get_internal_type",
    "django.db.models.fields:Field": (
        "__eq__ __hash__ __init__ db_type db_type_parameters get_col select_format"
    ),
    "django.db.models.fields:IntegerField": "get_internal_type",
    "django.db.models.fields:TextField": "get_internal_type",
    "django.db.models.lookups:BuiltinLookup": "as_sql get_rhs_op",
    "django.db.models.lookups:Exact": "as_sql get_prep_lookup",
    "django.db.models.lookups:FieldGetDbPrepValueMixin": "get_db_prep_lookup",
    "django.db.models.lookups:IntegerFieldOverflow": "process_rhs",
    "django.db.models.lookups:Lookup": (
        "get_prep_lhs get_prep_lookup get_source_expressions process_lhs process_rhs "
        "rhs_is_direct_value"
    ),
    "django.db.models.manager:BaseManager": (
        "__init__ __new__ _set_creation_counter all db_manager get_queryset"
    ),
    "django.db.models.manager:Manager": "get",
    "django.db.models.options:Options": "get_ancestor_link get_field label",
    "django.db.models.query": "get_related_populators",
    "django.db.models.query:BaseIterable": "__init__",
    "django.db.models.query:ModelIterable": "__iter__",
    "django.db.models.query:QuerySet": (
        "__len__ _add_hints _next_is_sticky _not_support_combined_queries get query"
    ),
    "django.db.models.query:RelatedPopulator": "__init__ populate",
    "django.db.models.query_utils:DeferredAttribute": "__get__",
    "django.db.models.query_utils:Q": "__and__ __init__ __or__ _combine",
    "django.db.models.query_utils:RegisterLookupMixin": "_get_lookup get_lookups",
    "django.db.models.query_utils:class_or_instance_method": "__get__",
    "django.db.models.sql.compiler": (
        "cursor_iter get_order_dir make_hashable select_related_descend"
    ),
    "django.db.models.sql.compiler:PositionRef": "__init__",
    "django.db.models.sql.compiler:SQLAggregateCompiler": "as_sql",
    "django.db.models.sql.compiler:SQLCompiler": (
        "__init__ _order_by_pairs _setup_joins apply_converters as_sql compile execute_sql "
        "find_ordering_name get_converters get_default_columns get_distinct get_extra_select "
        "get_from_clause get_group_by get_order_by get_related_selections get_select "
        "has_composite_fields pre_sql_setup quote_name_unless_alias results_iter setup_query"
    ),
    "django.db.models.sql.datastructures:BaseTable": "__eq__ __init__ as_sql",
    "django.db.models.sql.datastructures:Join": "__eq__ __init__ as_sql",
    "django.db.models.sql.query:JoinPromoter": "__init__ add_votes update_join_types",
    "django.db.models.sql.query:Query": (
        "__init__ _add_q _gen_cols _get_col add_ordering add_q annotation_select "
        "append_annotation_mask base_table build_filter build_lookup can_filter chain "
        "check_alias check_filterable check_related_objects clear_limits clear_ordering clone "
        "demote_joins extra_select get_aggregation get_compiler get_count get_initial_alias "
        "get_meta get_select_mask is_nullable is_sliced join join_parent_model names_to_path "
        "promote_joins ref_alias reset_refcounts resolve_lookup_value resolve_ref "
        "set_annotation_mask set_limits setup_joins solve_lookup_type table_alias trim_joins "
        "unref_alias"
    ),
    "django.db.models.sql.subqueries:AggregateQuery": "__init__",
    "django.db.models.sql.where:WhereNode": (
        "_contains_aggregate _contains_over_clause as_sql clone contains_aggregate "
        "contains_over_clause split_having_qualify"
    ),
    "django.db.utils:ConnectionRouter": "db_for_read",
    "django.db.utils:DatabaseErrorWrapper": "__call__",
    "django.dispatch.dispatcher:Signal": "send",
    "django.utils.datastructures:DictWrapper": "__init__",
    "django.utils.functional:LazyObject": "__getattr__",
    "django.utils.functional:cached_property": "__get__",
    "django.utils.functional:classproperty": "__get__",
    "django.utils.timezone": "is_aware make_aware",
    "django.utils.tree:Node": "__bool__ __init__ add copy create",
}

_ADDED: dict[tuple[int, int], Names] = {
    (5, 2): {
        "django.db.backends.postgresql.compiler:SQLCompiler": "quote_name_unless_alias",
    },
    (6, 0): {
        "django.db.models.expressions:OrderByList": "from_param",
        "django.db.models.fields.related_descriptors": "_traverse_ancestors",
    },
    (6, 1): {
        "django.db.backends.postgresql.psycopg_any:BaseTzLoader": "__init__",
        "django.db.backends.sqlite3.operations:DatabaseOperations": "_create_decimal",
        "django.db.models.base:ModelState": "__del__",
        "django.db.models.expressions:OrderByList": "from_param",
        "django.db.models.fetch_modes:FetchOne": "fetch",
        "django.db.models.fields.related_descriptors": "_traverse_ancestors",
        "django.db.models.fields.related_descriptors:ForwardManyToOneDescriptor": "fetch_one",
        "django.db.models.manager:Manager": "fetch_mode",
        "django.db.models.query": "_get_from_db",
        "django.db.models.query:PreventQuerySetCloning": "__enter__ __exit__ __init__",
        "django.db.models.query:QuerySet": (
            "_avoid_cloning _disable_cloning _enable_cloning fetch_mode"
        ),
        "django.db.models.query_utils:Q": "_check_connector create",
        "django.db.models.sql.compiler:SQLCompiler": "get_select_from_parent quote_name",
        "django.db.models.sql.query:Query": "orderby_issubset_groupby",
    },
}


def participants() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield module, class (empty for functions of the module) and names, for this Django."""
    for part in (_IN_ALL, _ADDED.get(django.VERSION[:2], {})):
        for place, names in part.items():
            module, _, owner = place.partition(":")
            yield module, owner, tuple(names.split())


def names_of(*owners: str) -> frozenset[str]:
    """Return the functions of classes with these names, in whichever module."""
    return frozenset(
        name for _, owner, names in participants() if owner in owners for name in names
    )
