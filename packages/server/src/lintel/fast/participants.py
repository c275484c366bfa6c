"""The functions of Django that take part in finding rows, converting values and making instances.

A shortcut stands for all of them. ``test_fast_participants.py`` sees with a profiler which
functions run without shortcuts, and holds that each is called, or listed here, so that a
replacement is noticed (:mod:`lintel.fast.originals`). One list for each tested version: what all
have, and what single versions add. Sections name the uses of their functions (:data:`USES`), the
keys in them are classes (``module:Class``) and modules.
"""

from collections.abc import Iterator

import django

Names = dict[str, str]
Sections = dict[str, Names]

#: One row by a condition, related rows by joins, many rows, their number, relations of instances,
#: annotations; and what depends on the database.
USES = ("one", "joined", "many", "count", "prefetched", "annotated", "a database")

_IN_ALL: Sections = {
    "annotated": {
        "django.db.models.aggregates:Aggregate": "as_sql get_group_by_cols",
        "django.db.models.expressions:BaseExpression": "convert_value get_db_converters",
        "django.db.models.expressions:Col": "get_group_by_cols",
        "django.db.models.expressions:Expression": "__eq__",
        "django.db.models.expressions:Func": "as_sql",
        "django.db.models.expressions:OrderBy": "get_group_by_cols",
        "django.db.models.expressions:Star": "as_sql",
        "django.db.models.fields:FloatField": "get_internal_type",
        "django.db.models.sql.compiler:PositionRef": "as_sql",
    },
    "a database": {
        "django.db.backends.base.features:BaseDatabaseFeatures": (
            "allows_group_by_selected_pks_on_model"
        ),
        "django.db.backends.base.operations:BaseDatabaseOperations": (
            "_get_limit_offset_params check_expression_support compiler "
            "conditional_expression_supported_in_where_clause force_no_ordering "
            "get_db_converters integer_field_range limit_offset_sql lookup_cast "
            "max_in_list_size prepare_join_on_clause"
        ),
        "django.db.backends.postgresql.operations:DatabaseOperations": (
            "lookup_cast prepare_join_on_clause quote_name"
        ),
        "django.db.backends.postgresql.psycopg_any:BaseTzLoader": "load",
        "django.db.backends.sqlite3.operations:DatabaseOperations": (
            "check_expression_support convert_booleanfield_value convert_datetimefield_value "
            "get_decimalfield_converter integer_field_range quote_name"
        ),
    },
    "count": {
        "django.db.models.aggregates:Aggregate": (
            "__init__ as_sql get_group_by_cols get_source_expressions resolve_expression "
            "set_source_expressions"
        ),
        "django.db.models.aggregates:Count": "__init__ resolve_expression",
        "django.db.models.expressions:BaseExpression": (
            "_parse_expressions convert_value get_db_converters get_refs replace_expressions"
        ),
        "django.db.models.expressions:Col": "get_group_by_cols",
        "django.db.models.expressions:Func": (
            "__init__ as_sql copy get_source_expressions set_source_expressions"
        ),
        "django.db.models.expressions:SQLiteNumericMixin": "as_sqlite",
        "django.db.models.expressions:Star": "as_sql",
        "django.db.models.fields:BigAutoField": "rel_db_type",
        "django.db.models.fields:BigIntegerField": "get_internal_type",
        "django.db.models.sql.compiler:SQLAggregateCompiler": "as_sql",
        "django.db.models.sql.compiler:SQLCompiler": "collapse_group_by",
        "django.db.models.sql.query:Query": (
            "_gen_cols append_annotation_mask check_alias clear_limits clone get_aggregation "
            "get_count set_annotation_mask"
        ),
        "django.db.models.sql.subqueries:AggregateQuery": "__init__",
    },
    "joined": {
        "django.db.models.fields.related:ForeignObject": "get_joining_fields",
        "django.db.models.fields.reverse_related:ForeignObjectRel": "remote_field",
        "django.db.models.fields:Field": "__hash__",
        "django.db.models.query:RelatedPopulator": "__init__ populate",
        "django.db.models.sql.compiler": "select_related_descend",
        "django.db.models.sql.compiler:SQLCompiler": "get_related_selections",
        "django.db.models.sql.datastructures:BaseTable": "__eq__",
        "django.db.models.sql.datastructures:Join": "__eq__ __init__",
        "django.db.models.sql.query:Query": (
            "_get_defer_select_mask _get_only_select_mask is_nullable"
        ),
    },
    "joined, count": {
        "django.db.models.fields": "normalize_choices",
        "django.db.models.fields.related:ForeignKey": "db_type",
        "django.db.models.fields.related:ForeignObject": "get_extra_restriction",
        "django.db.models.fields.reverse_related:ForeignObjectRel": "get_extra_restriction",
        "django.db.models.fields:AutoField": "rel_db_type",
        "django.db.models.fields:Field": "__init__ db_type db_type_parameters",
        "django.db.models.sql.datastructures:Join": "as_sql",
        "django.utils.datastructures:DictWrapper": "__init__",
    },
    "joined, many": {
        "django.db.models.fields.mixins:FieldCacheMixin": "is_cached",
        "django.db.models.fields.related:ForeignKey": "get_col get_db_converters",
        "django.db.models.fields.related_descriptors:ForeignKeyDeferredAttribute": "__set__",
    },
    "joined, many, count": {
        "django.db.models.expressions:BaseExpression": "__init__",
        "django.db.models.expressions:Col": "__init__",
        "django.db.models.fields.related:ForeignKey": "target_field",
    },
    "many": {
        "django.db.models.base:Model": "__init__ _get_pk_val _is_pk_set from_db pk",
        "django.db.models.base:ModelStateFieldsCacheDescriptor": "__get__",
        "django.db.models.expressions:OrderBy": (
            "__init__ as_sql get_source_expressions set_source_expressions"
        ),
        "django.db.models.fields.mixins:FieldCacheMixin": "get_cached_value set_cached_value",
        "django.db.models.fields.related:ForeignObject": (
            "get_extra_descriptor_filter get_foreign_related_value get_instance_value_for_fields "
            "get_local_related_value"
        ),
        "django.db.models.fields.related:RelatedField": (
            "get_reverse_related_filter related_query_name"
        ),
        "django.db.models.fields.related_descriptors:ForwardManyToOneDescriptor": (
            "__get__ get_object get_queryset"
        ),
        "django.db.models.fields.related_descriptors:ReverseManyToOneDescriptor": "__get__",
        "django.db.models.fields:DecimalField": "get_internal_type",
        "django.db.models.fields:TextField": "get_internal_type",
        "django.db.models.manager:BaseManager": (
            "__init__ __new__ _set_creation_counter all db_manager"
        ),
        "django.db.models.options:Options": "get_ancestor_link label",
        "django.db.models.query:QuerySet": "_add_hints _next_is_sticky",
        "django.db.models.query_utils:DeferredAttribute": "__get__",
        "django.db.models.query_utils:Q": "__and__ _combine",
        "django.db.models.sql.compiler": "get_order_dir",
        "django.db.models.sql.compiler:PositionRef": "__init__",
        "django.db.models.sql.compiler:SQLCompiler": "_setup_joins find_ordering_name",
        "django.db.utils:ConnectionRouter": "db_for_read",
        "django.dispatch.dispatcher:Signal": "send",
        "django.utils.timezone": "is_aware make_aware",
        "django.utils.tree:Node": "copy",
    },
    "many, count": {
        "django.db.models.expressions": "make_hashable",
        "django.db.models.expressions:BaseExpression": "conditional",
        "django.db.models.expressions:Expression": "__hash__ _identity identity",
        "django.db.models.expressions:Ref": "__init__",
        "django.db.models.fields.related_lookups:RelatedExact": "as_sql",
        "django.db.models.fields.related_lookups:RelatedIn": "as_sql",
        "django.db.models.lookups:BuiltinLookup": "as_sql get_rhs_op process_lhs",
        "django.db.models.lookups:Contains": "as_sql",
        "django.db.models.lookups:EndsWith": "as_sql",
        "django.db.models.lookups:Exact": "as_sql",
        "django.db.models.lookups:GreaterThan": "as_sql",
        "django.db.models.lookups:GreaterThanOrEqual": "as_sql",
        "django.db.models.lookups:IContains": "as_sql",
        "django.db.models.lookups:IEndsWith": "as_sql",
        "django.db.models.lookups:IExact": "as_sql",
        "django.db.models.lookups:IStartsWith": "as_sql",
        "django.db.models.lookups:In": "as_sql get_rhs_op",
        "django.db.models.lookups:IntegerFieldExact": "as_sql",
        "django.db.models.lookups:IntegerGreaterThan": "as_sql",
        "django.db.models.lookups:IntegerGreaterThanOrEqual": "as_sql",
        "django.db.models.lookups:IntegerLessThan": "as_sql",
        "django.db.models.lookups:IntegerLessThanOrEqual": "as_sql",
        "django.db.models.lookups:IsNull": "as_sql",
        "django.db.models.lookups:LessThan": "as_sql",
        "django.db.models.lookups:LessThanOrEqual": "as_sql",
        "django.db.models.lookups:Lookup": "process_lhs",
        "django.db.models.lookups:PatternLookup": "as_sql get_rhs_op",
        "django.db.models.lookups:StartsWith": "as_sql",
        "django.db.models.sql.compiler": "make_hashable",
        "django.utils.functional:classproperty": "__get__",
    },
    "one": {
        "django.db.models.expressions:BaseExpression": (
            "contains_aggregate contains_over_clause get_lookup"
        ),
        "django.db.models.lookups:BuiltinLookup": "as_sql process_lhs",
        "django.db.models.lookups:FieldGetDbPrepValueMixin": "get_db_prep_lookup",
        "django.db.models.lookups:Lookup": (
            "__init__ get_prep_lhs get_source_expressions process_lhs rhs_is_direct_value"
        ),
        "django.db.models.manager:BaseManager": "get_queryset",
        "django.db.models.query:QuerySet": "_not_support_combined_queries query",
        "django.db.models.query_utils:Q": "__init__ __or__",
        "django.db.models.query_utils:RegisterLookupMixin": "_get_lookup get_lookups",
        "django.db.models.query_utils:class_or_instance_method": "__get__",
        "django.db.models.sql.query:JoinPromoter": "__init__ add_votes update_join_types",
        "django.db.models.sql.query:Query": (
            "__init__ _add_q _get_col add_q build_filter build_lookup chain check_filterable "
            "check_related_objects clone demote_joins get_meta is_sliced promote_joins "
            "resolve_lookup_value solve_lookup_type"
        ),
        "django.db.models.sql.where:WhereNode": "clone",
        "django.db.utils:DatabaseErrorWrapper": "__call__",
        "django.utils.functional:LazyObject": "__getattr__",
        "django.utils.tree:Node": "__bool__ __init__ add create",
    },
    "prefetched": {
        "django.db.models.expressions:BaseExpression": "convert_value get_db_converters",
        "django.db.models.expressions:RawSQL": "__init__ as_sql",
        "django.db.models.fields.related:ForeignKey": "get_db_prep_value get_prep_value",
        "django.db.models.fields.related_descriptors": "_filter_prefetch_queryset",
        "django.db.models.fields.related_lookups": "get_normalized_value",
        "django.db.models.fields.related_lookups:RelatedIn": "as_sql get_prep_lookup",
        "django.db.models.lookups:FieldGetDbPrepValueIterableMixin": (
            "batch_process_rhs get_prep_lookup resolve_expression_parameter"
        ),
        "django.db.models.lookups:In": "as_sql get_prep_lookup get_rhs_op process_rhs",
        "django.db.models.lookups:Lookup": "batch_process_rhs",
        "django.db.models.query": (
            "get_prefetcher normalize_prefetch_lookups prefetch_one_level prefetch_related_objects"
        ),
        "django.db.models.query:Prefetch": (
            "__init__ get_current_prefetch_to get_current_querysets get_current_to_attr"
        ),
        "django.db.models.query:QuerySet": "extra",
        "django.db.models.sql.query": "check_rel_lookup_compatibility",
        "django.db.models.sql.query:Query": "add_extra check_alias check_query_object_type",
        "django.utils.datastructures:OrderedSet": "__bool__ __init__ __iter__ discard remove",
    },
    "one, count": {"django.db.models.fields:IntegerField": "get_internal_type"},
    "one, many": {
        "django.db.models.expressions:Col": "get_db_converters",
        "django.db.models.expressions:Expression": "__new__",
        "django.db.models.expressions:F": "__hash__ resolve_expression",
        "django.db.models.expressions:Func": "__new__",
        "django.db.models.expressions:OrderBy": "__new__",
        "django.db.models.fields.composite": "unnest",
        "django.db.models.fields:BooleanField": "get_internal_type",
        "django.db.models.fields:CharField": "get_internal_type",
        "django.db.models.fields:DateTimeField": "get_internal_type",
        "django.db.models.fields:Field": "__eq__ get_col",
        "django.db.models.lookups:BuiltinLookup": "get_rhs_op",
        "django.db.models.lookups:Exact": "as_sql get_prep_lookup",
        "django.db.models.lookups:IntegerFieldOverflow": "process_rhs",
        "django.db.models.lookups:Lookup": "get_prep_lookup process_rhs",
        "django.db.models.manager:Manager": "get",
        "django.db.models.options:Options": "get_field",
        "django.db.models.query": "get_related_populators",
        "django.db.models.query:BaseIterable": "__init__",
        "django.db.models.query:ModelIterable": "__iter__",
        "django.db.models.query:QuerySet": "__len__ get",
        "django.db.models.sql.compiler": "cursor_iter",
        "django.db.models.sql.compiler:SQLCompiler": "get_default_columns results_iter",
        "django.db.models.sql.datastructures:BaseTable": "__init__",
        "django.db.models.sql.query:Query": (
            "add_ordering base_table can_filter get_initial_alias join join_parent_model "
            "names_to_path ref_alias resolve_ref set_limits setup_joins table_alias trim_joins"
        ),
        "django.db.models.sql.where:WhereNode": (
            "_contains_aggregate _contains_over_clause contains_aggregate contains_over_clause"
        ),
        "django.utils.functional:cached_property": "__get__",
    },
    "one, many, count": {
        "django.db.models.expressions:BaseExpression": (
            "__getstate__ copy get_source_expressions resolve_expression select_format "
            "set_source_expressions"
        ),
        "django.db.models.expressions:Col": "as_sql",
        "django.db.models.fields:AutoField": "get_internal_type",
        "django.db.models.fields:BigAutoField": "get_internal_type",
        "django.db.models.fields:Field": "get_db_converters select_format",
        "django.db.models.sql.compiler:SQLCompiler": (
            "__init__ _order_by_pairs apply_converters as_sql compile execute_sql get_converters "
            "get_distinct get_extra_select get_from_clause get_group_by get_order_by get_select "
            "has_composite_fields pre_sql_setup quote_name_unless_alias setup_query"
        ),
        "django.db.models.sql.datastructures:BaseTable": "as_sql",
        "django.db.models.sql.query:Query": (
            "annotation_select clear_ordering extra_select get_compiler get_select_mask "
            "reset_refcounts unref_alias"
        ),
        "django.db.models.sql.where:WhereNode": "as_sql split_having_qualify",
    },
}

_ADDED: dict[tuple[int, int], Sections] = {
    (5, 2): {
        "a database": {
            "django.db.backends.base.operations:BaseDatabaseOperations": "validate_autopk_value",
            "django.db.backends.postgresql.compiler:SQLCompiler": "quote_name_unless_alias",
        }
    },
    (6, 0): {
        "a database": {
            "django.db.backends.base.operations:BaseDatabaseOperations": "validate_autopk_value",
        },
        "count": {"django.db.models.expressions:OrderByList": "from_param"},
        "many": {"django.db.models.fields.related_descriptors": "_traverse_ancestors"},
    },
    (6, 1): {
        "a database": {
            "django.db.backends.postgresql.psycopg_any:BaseTzLoader": "__init__",
            "django.db.backends.sqlite3.operations:DatabaseOperations": "_create_decimal",
        },
        "count": {
            "django.db.models.expressions:OrderByList": "from_param",
            "django.db.models.sql.query:Query": "orderby_issubset_groupby",
        },
        "joined": {"django.db.models.sql.compiler:SQLCompiler": "get_select_from_parent"},
        "many": {
            "django.db.models.base:ModelState": "__del__",
            "django.db.models.fetch_modes:FetchOne": "fetch",
            "django.db.models.fields.related_descriptors": "_traverse_ancestors",
            "django.db.models.fields.related_descriptors:ForwardManyToOneDescriptor": "fetch_one",
            "django.db.models.manager:Manager": "fetch_mode",
            "django.db.models.query:PreventQuerySetCloning": "__enter__ __exit__ __init__",
            "django.db.models.query:QuerySet": (
                "_avoid_cloning _disable_cloning _enable_cloning fetch_mode"
            ),
            "django.db.models.query_utils:Q": "create",
        },
        "one": {"django.db.models.query_utils:Q": "_check_connector"},
        "one, many": {"django.db.models.query": "_get_from_db"},
        "one, many, count": {"django.db.models.sql.compiler:SQLCompiler": "quote_name"},
    },
}


def participants(use: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield module, class (empty for functions of the module) and names, for this Django."""
    for sections in (_IN_ALL, _ADDED.get(django.VERSION[:2], {})):
        for uses, part in sections.items():
            if use in uses.split(", "):
                for place, names in part.items():
                    module, _, owner = place.partition(":")
                    yield module, owner, tuple(names.split())


def names_of(*owners: str) -> frozenset[str]:
    """Return the functions of classes with these names, in whichever module."""
    return frozenset(
        name
        for use in USES
        for _, owner, names in participants(use)
        if owner in owners
        for name in names
    )
